//! TLS to the server: encrypted wherever it offers it, certificates looked at as `sslmode` asks.

use crate::address::{Address, Trust};
use crate::connection::causes;
use backstory_store::{Fault, StoreError};
use rustls::SignatureScheme;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// What makes connections encrypted.
pub(crate) fn connector(address: &Address) -> Result<MakeRustlsConnect, StoreError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(&error))?;
    let signed = match address.trust {
        Trust::Anyone => None,
        Trust::Signed | Trust::Named => {
            let roots = Arc::new(authorities(address)?);
            let verifier =
                WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider));
            Some(verifier.build().map_err(|error| refused(&error))?)
        }
    };
    let verifier = Verifier { provider, signed, name_matters: address.trust == Trust::Named };
    let config = builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

/// Who may sign: those of `sslrootcert`, otherwise the public authorities.
fn authorities(address: &Address) -> Result<RootCertStore, StoreError> {
    let mut roots = RootCertStore::empty();
    let Some(path) = &address.authorities else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(roots);
    };
    let pem = fs_err::read(path)?;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let added = certificate
            .map_err(|error| format!("{error}"))
            .and_then(|certificate| roots.add(certificate).map_err(|error| format!("{error}")));
        added.map_err(|reason| StoreError::Database {
            fault: Fault::Refused,
            reason: format!("{} holds no certificate: {reason}", path.display()),
        })?;
    }
    Ok(roots)
}

fn refused(error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Database { fault: Fault::Refused, reason: format!("TLS: {error}") }
}

/// What to do about a certificate that was not accepted; nothing if an error is about none.
pub(crate) fn advice(error: &postgres::Error) -> Option<&'static str> {
    let reason = causes(error).find_map(|cause| {
        // An error of input and output does not count what it holds among its sources.
        cause.downcast_ref::<std::io::Error>()?.get_ref()?.downcast_ref::<Error>()
    })?;
    Some(match reason {
        Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => {
            "connect by a name the certificate bears, or trust its signature alone with sslmode=verify-ca"
        }
        Error::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        ) => "name the file of the authority that signed it with sslrootcert=",
        Error::InvalidCertificate(_) => "the server needs another certificate",
        _ => "check how the server is set up for TLS",
    })
}

/// Looks at certificates as far as asked. The handshake itself is always proven.
#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    signed: Option<Arc<WebPkiServerVerifier>>,
    name_matters: bool,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(signed) = &self.signed else { return Ok(ServerCertVerified::assertion()) };
        let verified =
            signed.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.name_matters => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
