//! Terms reach the engine as text with one blank between them: they are cut before, once, by the
//! tokeniser all of Backstory shares.

use memchr::memchr;
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

/// Cuts at blanks and at nothing else.
#[derive(Clone, Default)]
pub(crate) struct Blanks {
    token: Token,
}

pub(crate) struct Terms<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl Tokenizer for Blanks {
    type TokenStream<'a> = Terms<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Terms<'a> {
        self.token.reset();
        Terms { rest: text, token: &mut self.token }
    }
}

impl TokenStream for Terms<'_> {
    fn advance(&mut self) -> bool {
        if self.rest.is_empty() {
            return false;
        }
        let end = memchr(b' ', self.rest.as_bytes()).unwrap_or(self.rest.len());
        let term = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        self.token.text.clear();
        self.token.text.push_str(term);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

pub(crate) fn manager() -> TokenizerManager {
    let manager = TokenizerManager::default();
    manager.register(crate::schema::BLANKS, TextAnalyzer::from(Blanks::default()));
    manager
}
