//! A store of objects that fails at will: before it does what it is asked to, or after.

use async_trait::async_trait;
use futures_util::stream::{self, BoxStream, StreamExt};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers that look random and are the same every time.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

/// Fails every so many requests.
#[derive(Debug)]
pub(crate) struct Flaky {
    inner: InMemory,
    dice: Mutex<Dice>,
    /// One request in so many fails; none if it is 0.
    one_in: AtomicU64,
    /// What a server does that knows no conditional puts: refuse, or overwrite.
    pub(crate) conditional: Conditional,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conditional {
    Known,
    Refused,
    Ignored,
}

impl Flaky {
    pub(crate) fn new(one_in: u64) -> Self {
        let dice = Mutex::new(Dice::new(42));
        let one_in = AtomicU64::new(one_in);
        Self { inner: InMemory::new(), dice, one_in, conditional: Conditional::Known }
    }

    /// From now on nothing fails.
    pub(crate) fn heal(&self) {
        self.one_in.store(0, Ordering::Relaxed);
    }

    fn stumble(&self) -> Result<()> {
        let one_in = self.one_in.load(Ordering::Relaxed);
        if one_in == 0 || !self.dice.lock().unwrap().next().is_multiple_of(one_in) {
            return Ok(());
        }
        Err(Error::Generic { store: "flaky", source: "the line is bad".into() })
    }
}

impl fmt::Display for Flaky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("flaky")
    }
}

#[async_trait]
impl ObjectStore for Flaky {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        mut options: PutOptions,
    ) -> Result<PutResult> {
        self.stumble()?;
        match (&options.mode, self.conditional) {
            (PutMode::Create, Conditional::Refused) => {
                let operation = "create if absent".to_owned();
                return Err(Error::NotImplemented { operation, implementer: self.to_string() });
            }
            (PutMode::Create, Conditional::Ignored) => options.mode = PutMode::Overwrite,
            _ => {}
        }
        let put = self.inner.put_opts(location, payload, options).await;
        // It happened, and yet nobody hears of it.
        self.stumble()?;
        put
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.stumble()?;
        self.inner.get_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let failure = self.stumble().err();
        self.inner.delete_stream(locations).chain(stream::iter(failure.map(Err))).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let failure = self.stumble().err();
        self.inner.list(prefix).chain(stream::iter(failure.map(Err))).boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
