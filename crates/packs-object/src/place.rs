//! Which store of objects a place means.

use backstory_store::{StoreError, create_private_dir};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey as Key};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ClientConfigKey, ClientOptions, ObjectStore, RetryConfig};
use std::sync::Arc;
use std::time::Duration;

/// Whole requests end by `Patience`; this only ends what hangs behind its back.
const REQUEST: Duration = Duration::from_mins(10);

/// A store of objects, and where in it.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) prefix: Path,
    /// What stands before an object's name to make it one that people can use.
    pub(crate) label: String,
}

impl Place {
    pub(crate) fn parse(place: &str, options: &[(String, String)]) -> Result<Self, StoreError> {
        let path = place.strip_prefix("file://").unwrap_or(place);
        if std::path::Path::new(path).is_absolute() {
            return directory(path);
        }
        let Some(bucket) = place.strip_prefix("s3://") else {
            return Err(StoreError::Packs(format!(
                "`{place}` is no place for packs: give an absolute path, file:///path or \
                 s3://bucket/prefix"
            )));
        };
        let (bucket, prefix) = bucket.split_once('/').unwrap_or((bucket, ""));
        s3(bucket, prefix, options)
            .map_err(|reason| StoreError::Packs(format!("{place}: {reason}")))
    }
}

fn directory(path: &str) -> Result<Place, StoreError> {
    let path = std::path::Path::new(path);
    create_private_dir(path)?;
    let store = LocalFileSystem::new_with_prefix(path)
        .map_err(|error| StoreError::Packs(format!("{}: {error}", path.display())))?
        .with_fsync(true)
        .with_automatic_cleanup(true);
    let label = format!("{}/", path.display());
    Ok(Place { store: Arc::new(store), prefix: Path::default(), label })
}

fn s3(bucket: &str, prefix: &str, options: &[(String, String)]) -> Result<Place, String> {
    if bucket.is_empty() {
        return Err("the name of the bucket is missing: s3://bucket/prefix".into());
    }
    // The client asks for the process's choice; whoever chose first is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = AmazonS3Builder::new()
        .with_client_options(ClientOptions::new().with_timeout(REQUEST))
        // `Patience` repeats requests, whatever they go to.
        .with_retry(RetryConfig { max_retries: 0, ..RetryConfig::default() })
        .with_bucket_name(bucket);
    for (name, value) in options {
        let key = name.to_lowercase().parse::<Key>().ok().filter(|key| is_allowed(*key));
        let key = key.ok_or_else(|| format!("`{name}` is no option of a bucket"))?;
        builder = builder.with_config(key, value);
    }
    let has = |key: &Key| builder.get_config_value(key).is_some_and(|value| !value.is_empty());
    let is_open = builder.get_config_value(&Key::SkipSignature).as_deref() == Some("true");
    // Without keys the client would look for some in files and on the network.
    let has_keys = has(&Key::AccessKeyId) && has(&Key::SecretAccessKey);
    if !is_open && !has_keys {
        return Err("aws_access_key_id and aws_secret_access_key are needed, or \
                    aws_skip_signature=true for a bucket open to all"
            .into());
    }
    let store = builder.build().map_err(|error| error.to_string())?;
    let prefix = Path::parse(prefix).map_err(|error| error.to_string())?;
    Ok(Place { store: Arc::new(store), prefix, label: format!("s3://{bucket}/") })
}

/// Options that neither name files with credentials nor ask others for them.
fn is_allowed(key: Key) -> bool {
    matches!(
        key,
        Key::AccessKeyId
            | Key::SecretAccessKey
            | Key::Token
            | Key::Region
            | Key::DefaultRegion
            | Key::Endpoint
            | Key::S3Endpoint
            | Key::VirtualHostedStyleRequest
            | Key::SkipSignature
            | Key::UnsignedPayload
            | Key::Checksum
            | Key::ConditionalPut
            | Key::DisableBulkDelete
            | Key::RequestPayer
            | Key::Encryption(_)
            | Key::Client(
                ClientConfigKey::AllowHttp
                    | ClientConfigKey::AllowInvalidCertificates
                    | ClientConfigKey::ConnectTimeout
                    | ClientConfigKey::ProxyUrl
            )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(place: &str, options: &[(&str, &str)]) -> String {
        let options: Vec<(String, String)> =
            options.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
        Place::parse(place, &options).unwrap_err().to_string()
    }

    #[test]
    fn a_bucket_without_keys_is_refused_before_anybody_is_asked() {
        assert!(refusal("s3://bucket/x", &[]).contains("aws_access_key_id"));
        assert!(refusal("s3://bucket/x", &[("aws_access_key_id", "k")]).contains("secret"));
        let role = [("aws_web_identity_token_file", "/token"), ("aws_role_arn", "r")];
        assert!(
            refusal("s3://bucket", &role).contains("`aws_web_identity_token_file` is no option")
        );
    }

    #[test]
    fn other_places_are_refused_with_what_may_be_given() {
        for place in ["", "packs", "./packs", "gs://bucket", "https://bucket"] {
            assert!(refusal(place, &[]).contains("absolute path"), "{place}");
        }
        assert!(refusal("s3://", &[]).contains("bucket is missing"));
    }

    #[test]
    fn a_directory_is_private_and_a_path_or_an_address() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("packs");
        for place in [path.display().to_string(), format!("file://{}", path.display())] {
            assert!(Place::parse(&place, &[]).unwrap().label.ends_with("/packs/"));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = path.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
    }
}
