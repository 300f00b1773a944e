//! A secret that was found and replaced.

/// One replaced secret: enough to recognise it again, nothing to recover it from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretFinding {
    /// What kind of secret it looks like, e.g. `github-token`.
    pub kind: &'static str,
    /// Short stable fingerprint: the same secret always gives the same one.
    pub fingerprint: String,
}
