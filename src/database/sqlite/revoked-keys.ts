/** The keys of a user go before the user does, whose name is not known any more when the foreign key deletes them. */
export const revokedKeysSqlite: readonly string[] = [
  'drop trigger if exists gatewright_key_revoked',
  `create trigger gatewright_key_revoked before delete on api_keys
begin
  insert into gatewright_revoked_keys (key_id, key_hash, name, user_id, username, revoked_at)
  values (old.id, old.key_hash, old.name, old.user_id,
    coalesce((select username from users where id = old.user_id), ''), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  on conflict (key_id) do nothing;
end`,
  'drop trigger if exists gatewright_user_keys_revoked',
  `create trigger gatewright_user_keys_revoked before delete on users
begin
  delete from api_keys where user_id = old.id;
end`,
];
