//! HTTP and MCP: the archive for agents and their plugins.

pub mod mcp;
