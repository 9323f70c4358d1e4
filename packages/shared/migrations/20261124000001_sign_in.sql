-- One byte of a keyed digest of the passkey: a wrong one is refused by it before scrypt runs (adr-0007). Null, or of
-- another key: scrypt decides alone, and the next success writes it anew. The key itself is never in the database.
alter table agent_credentials
  add column passkey_tag smallint constraint agent_credentials_passkey_tag_check check (passkey_tag between 0 and 255),
  add column passkey_tag_key text,
  add constraint agent_credentials_tag_and_key_check check ((passkey_tag is null) = (passkey_tag_key is null));

-- By whom the failures of an account are counted: `rest <address>`, `page <address>`, `mcp <address>`, or
-- `device <nonce>` of a browser that has signed in before.
alter table sign_in_failures rename column address to source;
