//! Telling a configured hub what happened; a hub that does not listen never holds anybody up.

use crate::figures::plural;
use crate::settings::Settings;
use crate::ui::Ui;
use backstory_engine::hub;
use backstory_store::Home;
use std::time::Duration;

/// All the time a sweep spends on the hub.
const BUDGET: Duration = Duration::from_secs(2);

/// Tells the hub what is new, if there is one; what it does not take is told again later.
pub(crate) fn deliver(settings: &Settings, home: &Home, ui: &mut Ui) {
    let Some(url) = &settings.hub.url else { return };
    // Whoever waits for the report need not wait for the hub.
    let _ = ui.finish();
    let agent = ureq::Agent::new_with_config(
        ureq::Agent::config_builder()
            .max_redirects(0)
            .proxy(None)
            .user_agent(concat!("backstory/", env!("CARGO_PKG_VERSION")))
            .build(),
    );
    let token = settings.hub.token.as_ref();
    let delivered = hub::deliver(home, BUDGET, &mut |notice, left| {
        let mut request = agent
            .post(&url.value)
            .config()
            .timeout_global(Some(left))
            .build()
            .header("content-type", "application/json");
        if let Some(token) = token {
            request = request.header("authorization", token.bearer());
        }
        let answer = request.send(notice).map_err(|error| error.to_string())?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            status => Err(format!("it answered {status}")),
        }
    });
    match delivered {
        Ok(hub::Delivery { failure: Some(reason), waiting, .. }) => ui.warning(format!(
            "the hub was not told: {reason}; {} will be told later",
            plural(waiting as u64, "notice")
        )),
        Ok(_) => {}
        Err(error) => ui.warning(format!("the hub was not told: {error}")),
    }
}
