//! `docs/team.md` does what it says: its statements and commands are taken from the page and run on a
//! real server.

use crate::sandbox::{Run, Sandbox};
use backstory_testkit::postgres::{self, Database};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The tenant the page speaks of.
const TENANT: &str = "acme";

/// Archives on a server, seen from one workstation.
struct Team {
    sandbox: Sandbox,
    database: Database,
}

/// Where one of them is.
#[derive(Clone)]
struct Place {
    home: &'static str,
    tenant: &'static str,
    url: String,
    packs: PathBuf,
}

impl Team {
    /// A few sessions, taken in.
    fn new() -> Self {
        let team = Self { sandbox: Sandbox::new(), database: postgres::database() };
        team.write_sessions("zebra", 0..4);
        team.succeed(&team.place(), &["sync"]);
        team
    }

    fn place(&self) -> Place {
        Place {
            home: "here",
            tenant: TENANT,
            url: self.database.url.clone(),
            packs: self.sandbox.home().join("packs"),
        }
    }

    /// Sessions about something, long enough to have parts of packs.
    fn write_sessions(&self, about: &str, numbers: std::ops::Range<u32>) {
        for number in numbers {
            let long = format!("The {about} is number {number}. ").repeat(400);
            let turns =
                [(format!("Tell me of the {about}"), long), ("And then?".into(), "No.".into())];
            let turns = turns.each_ref().map(|(prompt, answer)| (prompt.as_str(), answer.as_str()));
            self.sandbox.write_claude(&format!("{number:08x}-0000-4000-8000-000000000000"), &turns);
        }
    }

    fn command(&self, place: &Place, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        command
            .env("BACKSTORY_HOME", self.sandbox.home().join(place.home))
            .env("BACKSTORY_STORE", &place.url)
            .env("BACKSTORY_TENANT", place.tenant)
            .env("BACKSTORY_PACKS", &place.packs);
        command
    }

    fn run(&self, place: &Place, arguments: &[&str]) -> Run {
        self.sandbox.finish(self.command(place, arguments))
    }

    fn succeed(&self, place: &Place, arguments: &[&str]) -> String {
        let run = self.run(place, arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {run}");
        run.stdout
    }

    fn export(&self, place: &Place) -> String {
        self.succeed(place, &["export"])
    }

    /// New events of one more sync.
    fn sync(&self, place: &Place) -> u64 {
        let told = self.succeed(place, &["sync", "--json"]);
        let report: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
        let agents = report["agents"].as_array().unwrap().iter();
        agents.map(|agent| agent["new_events"].as_u64().unwrap()).sum()
    }

    fn finds(&self, place: &Place, word: &str) -> bool {
        self.run(place, &["search", word]).code == 0
    }

    /// What needs attention.
    fn complaints(&self, place: &Place) -> Vec<String> {
        let told = self.run(place, &["doctor", "--json"]).stdout;
        let checks = told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let bad = checks.filter(|check| check["level"] == "attention");
        bad.map(|check| check["what"].as_str().unwrap().to_owned()).collect()
    }

    /// One of the programs that come with the server.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(postgres::programs().unwrap().join(name));
        command.current_dir(self.sandbox.home()).env_clear().stdin(Stdio::null());
        command
    }

    /// Runs statements as people do.
    fn psql(&self, url: &str, statements: &str) -> String {
        let mut psql = self.program("psql");
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]);
        psql.args(["--set=ON_ERROR_STOP=1", "--file=statements.sql", url]);
        self.sandbox.write("statements.sql", statements);
        told(&mut psql).trim().to_owned()
    }

    /// Runs a command of the page, on other paths and another server.
    fn shell(&self, line: &str, place: &Place, backup: &Path) {
        let line = line.replace("/srv/packs", &place.packs.display().to_string());
        let line = line.replace("/backup/packs", &backup.display().to_string());
        let mut path = vec![postgres::programs().unwrap()];
        path.extend(std::env::split_paths("/usr/bin:/bin"));
        let mut shell = Command::new("/bin/sh");
        shell.args(["-ec", &line]).current_dir(self.sandbox.home()).env_clear();
        shell.env("PATH", std::env::join_paths(path).unwrap()).env("BACKSTORY_STORE", &place.url);
        told(&mut shell);
    }
}

/// What a program printed; it must succeed.
fn told(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// The blocks of a language in a section of the page.
fn blocks(language: &str, heading: &str) -> Vec<String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/team.md");
    let page = fs_err::read_to_string(page).unwrap();
    let section = page.split("\n## ").find_map(|section| section.strip_prefix(heading));
    let section = section.unwrap_or_else(|| panic!("the page has no section {heading:?}"));
    let open = format!("```{language}\n");
    let blocks =
        section.split(&open).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    blocks.collect()
}

/// The command of a section that begins so.
fn line_of(heading: &str, program: &str) -> String {
    let blocks = blocks("sh", heading).concat();
    let lines: Vec<&str> = blocks.lines().filter(|line| line.starts_with(program)).collect();
    (*lines.first().unwrap_or_else(|| panic!("{heading:?} has no {program}"))).to_owned()
}

#[test]
fn a_backup_taken_during_a_sync_comes_back_whole() {
    const SECTION: &str = "Back up and restore";
    let team = Team::new();
    let place = team.place();
    let before = team.export(&place);
    team.write_sessions("quokka", 4..8);
    let [dump, copy] = [line_of(SECTION, "pg_dump"), line_of(SECTION, "cp --archive")];
    let backup = team.sandbox.home().join("backup");

    // The sync has begun and cannot commit while the rows are dumped; it has when packs are copied.
    let holder = Holder::new(&team);
    let sync = team.command(&place, &["sync", "--quiet"]).spawn().unwrap();
    holder.wait_until_it_is_waited_for();
    team.shell(&dump, &place, &backup);
    drop(holder);
    assert!(sync.wait_with_output().unwrap().status.success());
    team.shell(&copy, &place, &backup);
    let whole = team.export(&place);
    assert_ne!(whole, before);

    let database = postgres::database();
    let packs = team.sandbox.home().join("restored-packs");
    let restored = Place { home: "restored", url: database.url.clone(), packs, ..place.clone() };
    team.shell(&line_of(SECTION, "pg_restore"), &restored, &backup);
    let back = blocks("sh", SECTION).concat();
    let back = back.lines().find(|line| line.contains("/backup/packs/. ")).unwrap();
    team.shell(back, &restored, &backup);
    let complaints = team.complaints(&restored);
    assert!(!complaints.is_empty(), "parts newer than the dump are named");
    assert!(complaints.iter().all(|what| what == "belongs to no session"), "{complaints:?}");
    assert_eq!(team.export(&restored), before);

    assert_ne!(team.sync(&restored), 0, "what came after the dump is read once more");
    assert_eq!(team.export(&restored), whole);
    assert_eq!(team.sync(&restored), 0);
    assert!(team.finds(&restored, "zebra") && team.finds(&restored, "quokka"));
    assert!(!team.finds(&restored, "wombat"));
}

/// Someone who lets everybody read and nobody write.
struct Holder<'a> {
    team: &'a Team,
    psql: std::process::Child,
}

impl<'a> Holder<'a> {
    fn new(team: &'a Team) -> Self {
        let mut psql = team.program("psql");
        psql.args(["--no-psqlrc", "--quiet", &team.database.url]);
        let mut psql = psql.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let lock = b"BEGIN; LOCK TABLE backstory.sessions_all IN SHARE MODE;\n";
        std::io::Write::write_all(psql.stdin.as_mut().unwrap(), lock).unwrap();
        let holder = Self { team, psql };
        holder.wait_for("mode = 'ShareLock' AND granted");
        holder
    }

    fn wait_until_it_is_waited_for(&self) {
        self.wait_for("NOT granted");
    }

    fn wait_for(&self, lock: &str) {
        let ask = format!(
            "SELECT count(*) FROM pg_locks WHERE {lock} AND relation = 'backstory.sessions_all'::regclass"
        );
        while self.team.psql(&self.team.database.url, &ask) == "0" {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Holder<'_> {
    fn drop(&mut self) {
        // The end of its input is the end of its transaction.
        drop(self.psql.stdin.take());
        let _ = self.psql.wait();
    }
}

/// The statements of the page with one table for the tenant, and with several.
fn partitions() -> [String; 2] {
    let [one, parts] = &blocks("sql", "Beyond one table, beyond one server")[..] else {
        panic!("the section has a block for one table and one for several")
    };
    let create = one.lines().find(|line| line.starts_with("CREATE TABLE")).unwrap();
    [one.clone(), one.replace(create, parts)]
}

#[test]
fn a_tenant_gets_a_partition_of_its_own() {
    for statements in partitions() {
        let team = Team::new();
        let place = team.place();
        let other = Place { home: "other", tenant: "other", ..place.clone() };
        team.succeed(&other, &["sync"]);
        let (before, of_other) = (team.export(&place), team.export(&other));
        team.psql(&team.database.url, &statements);
        let tenants = |table: &str| {
            let ask = format!("SELECT string_agg(DISTINCT tenant, ' ') FROM backstory.{table}");
            team.psql(&team.database.url, &ask)
        };
        assert_eq!(
            (tenants("events_acme").as_str(), tenants("events_rest").as_str()),
            (TENANT, "other")
        );
        assert_eq!((team.export(&place), team.export(&other)), (before, of_other.clone()));
        assert_eq!(team.complaints(&place), [""; 0]);

        team.write_sessions("quokka", 4..5);
        assert_ne!(team.sync(&place), 0);
        assert_eq!((team.sync(&place), tenants("events_rest").as_str()), (0, "other"));
        assert!(team.finds(&place, "quokka") && team.finds(&place, "zebra"));
        team.succeed(&place, &["forget", "--match", "quokka", "--yes"]);
        assert!(!team.finds(&place, "quokka"));
        assert_eq!(team.export(&other), of_other);
        assert_eq!(team.complaints(&place), [""; 0]);
    }
}

#[test]
fn a_new_tenants_rows_go_where_the_page_sends_them() {
    // A partition may be there before its tenant is.
    let team = Team { sandbox: Sandbox::new(), database: postgres::database() };
    team.write_sessions("zebra", 0..1);
    let other = Place { home: "other", tenant: "other", ..team.place() };
    team.succeed(&other, &["sync"]);
    team.psql(&team.database.url, &partitions()[0]);
    team.succeed(&team.place(), &["sync"]);
    let ask = "SELECT count(*) > 0 FROM backstory.events_acme";
    assert_eq!(team.psql(&team.database.url, ask), "t");
}

#[test]
fn others_may_be_let_in_to_write_or_only_to_read() {
    let team = Team::new();
    let roles = ["writer", "reader"].map(|name| format!("{name}_{}", std::process::id()));
    let create = roles.each_ref().map(|role| format!("CREATE ROLE {role} LOGIN;")).concat();
    team.psql(&team.database.administrator_url, &create);
    let _removed_later = Roles { team: &team, roles: &roles };
    let [grants] = &blocks("sql", "Set it up")[1..] else {
        panic!("the grants are the second block")
    };
    let grants = grants.replace("writer;", &format!("{};", roles[0]));
    team.psql(&team.database.url, &grants.replace("reader;", &format!("{};", roles[1])));
    let as_role =
        |role: &str| team.database.administrator_url.replace("postgres@", &format!("{role}@"));

    let writer = Place { home: "writer", url: as_role(&roles[0]), ..team.place() };
    team.write_sessions("quokka", 4..5);
    assert_ne!(team.sync(&writer), 0);
    team.succeed(&writer, &["forget", "--match", "quokka", "--yes"]);

    // What a replica takes, too.
    let read_only = "&options=-c%20default_transaction_read_only%3Don";
    let reader = Place { url: as_role(&roles[1]) + read_only, ..team.place() };
    assert_eq!(team.export(&reader), team.export(&team.place()));
    for arguments in [&["search", "zebra"][..], &["sessions"], &["show", "last"], &["status"]] {
        team.succeed(&reader, arguments);
    }
    assert_eq!(team.complaints(&reader), [""; 0]);
    let refused = team.run(&reader, &["forget", "--match", "zebra", "--yes"]);
    assert_ne!(refused.code, 0, "{refused}");
}

#[test]
fn packs_in_a_home_are_for_one_workstation() {
    let team = Team::new();
    let run = |owner: &str, arguments: &[&str]| {
        let mut command = team.sandbox.command(arguments);
        command.env("BACKSTORY_HOME", team.sandbox.home().join(owner));
        command.env("BACKSTORY_OWNER", owner).env("BACKSTORY_TENANT", "homely");
        command.env("BACKSTORY_STORE", &team.database.url);
        team.sandbox.finish(command)
    };
    let (ann, bob) = (|asked: &[&str]| run("ann", asked), |asked: &[&str]| run("bob", asked));
    assert_eq!(ann(&["sync"]).code, 0);
    let shown = ann(&["show", "last"]);
    let asked = [
        &["sync"][..],
        &["sync", "--reparse"],
        &["forget", "--match", "zebra", "--yes"],
        &["index"],
    ];
    for asked in asked {
        let refused = bob(asked);
        assert_eq!(refused.code, 3, "{refused}");
        for part in ["BACKSTORY_PACKS", "[store]"] {
            assert!(refused.stderr.contains(part), "{refused}");
        }
    }
    let told = "ann made them ready as [HOME]/ann/objects/homely";
    assert!(bob(&["sync"]).stderr.contains(told));
    assert!(!team.sandbox.home().join("bob/objects/homely").exists());
    assert_eq!(ann(&["show", "last"]).stdout, shown.stdout);
    assert_eq!(ann(&["sync", "--reparse"]).code, 0);
}

/// Roles are the whole server's: they go with the test.
struct Roles<'a> {
    team: &'a Team,
    roles: &'a [String; 2],
}

impl Drop for Roles<'_> {
    fn drop(&mut self) {
        let drop = |role: &String| format!("DROP OWNED BY {role}; DROP ROLE {role};");
        let drop = self.roles.each_ref().map(drop).concat();
        self.team.psql(&self.team.database.administrator_url, &drop);
    }
}

#[test]
fn nothing_of_what_was_forgotten_is_in_the_files() {
    let team = Team::new();
    team.write_sessions("quokka", 4..8);
    assert_ne!(team.sync(&team.place()), 0);
    let url = &team.database.administrator_url;
    // Every file of our tables and indexes, what they keep aside included.
    let holding = "CHECKPOINT; SELECT count(*) FROM pg_class WHERE pg_relation_filepath(oid) IS NOT NULL
        AND (relnamespace = 'backstory'::regnamespace OR oid IN
            (SELECT reltoastrelid FROM pg_class WHERE relnamespace = 'backstory'::regnamespace))
        AND position('quokka'::bytea IN pg_read_binary_file(pg_relation_filepath(oid))) > 0;
        SELECT count(*) FROM pg_stats WHERE schemaname = 'backstory'
        AND strpos(coalesce(most_common_vals::text, '') || coalesce(histogram_bounds::text, ''), 'quokka') > 0";
    team.psql(url, "ANALYZE");
    assert!(!team.psql(url, holding).contains('0'), "the text is found while it is here");
    team.succeed(&team.place(), &["forget", "--match", "quokka", "--yes"]);
    team.psql(url, &blocks("sql", "Retention and forgetting")[0]);
    assert_eq!(team.psql(url, holding), "0\n0");
    assert!(team.finds(&team.place(), "zebra"));
    assert_eq!(team.complaints(&team.place()), [""; 0]);
}
