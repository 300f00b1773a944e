//! probe
use backstory_testkit::agents::record_all;

#[test]
fn probe() {
    let dir = std::path::Path::new("/tmp/ag-rec");
    let _ = fs_err::remove_dir_all(dir);
    let recordings = record_all(dir).unwrap();
    println!("{recordings:#?}");
}
