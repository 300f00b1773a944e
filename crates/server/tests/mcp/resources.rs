//! Sessions and memories as resources.

use crate::line::Client;
use crate::world::{SESSION, World};
use serde_json::json;

#[tokio::test]
async fn sessions_and_memories_can_be_picked() {
    let mut client = Client::of(World::told()).await;
    let write = json!({"uri": "memories/tea.md", "content": "# Tea\n\nGreen."});
    client.call("write", write).await.unwrap();
    let listed = client.ask("resources/list", json!({})).await;
    let listed = listed["result"]["resources"].as_array().unwrap().clone();
    let addresses: Vec<&str> =
        listed.iter().map(|resource| resource["uri"].as_str().unwrap()).collect();
    let overview = format!("backstory://sessions/claude:{SESSION}/overview.md");
    assert_eq!(addresses, ["backstory://memories/tea.md", overview.as_str()]);
    for address in addresses {
        let read = client.ask("resources/read", json!({"uri": address})).await;
        let contents = &read["result"]["contents"][0];
        assert_eq!(contents["mimeType"], "text/markdown", "{read}");
        assert!(contents["text"].as_str().unwrap().starts_with("# "), "{read}");
    }
    let missing = client.ask("resources/read", json!({"uri": "backstory://memories/x.md"})).await;
    assert!(missing["error"].is_object(), "{missing}");
    let templates = client.ask("resources/templates/list", json!({})).await;
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn without_an_archive_there_are_none() {
    let mut client = Client::of(World::empty()).await;
    let listed = client.ask("resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"], json!([]), "{listed}");
}

#[tokio::test]
async fn long_lists_come_in_pages() {
    let mut client = Client::of(World::empty()).await;
    for at in 0..130 {
        let write = json!({"uri": format!("memories/{at:03}.md"), "content": "x"});
        client.call("write", write).await.unwrap();
    }
    let first = client.ask("resources/list", json!({})).await;
    assert_eq!(first["result"]["resources"].as_array().unwrap().len(), 100);
    let cursor = first["result"]["nextCursor"].clone();
    let rest = client.ask("resources/list", json!({"cursor": cursor})).await;
    assert_eq!(rest["result"]["resources"].as_array().unwrap().len(), 30);
    assert!(rest["result"]["nextCursor"].is_null());
}
