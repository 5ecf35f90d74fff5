/**
 * The keys of a user go before the user does, whose name is not known any more when the foreign key deletes them. Both run
 * as whoever deletes.
 */
export const revokedKeysPostgres: readonly string[] = [
  `create or replace function gatewright_key_revoked() returns trigger language plpgsql as $$
begin
  insert into gatewright_revoked_keys (key_id, key_hash, name, user_id, username, revoked_at)
  values (old.id, old.key_hash, old.name, old.user_id,
    coalesce((select username from users where id = old.user_id), ''), clock_timestamp())
  on conflict (key_id) do nothing;
  return old;
end
$$`,
  'drop trigger if exists gatewright_key_revoked on api_keys',
  `create trigger gatewright_key_revoked before delete on api_keys for each row
  execute function gatewright_key_revoked()`,
  `create or replace function gatewright_user_keys_revoked() returns trigger language plpgsql as $$
begin
  delete from api_keys where user_id = old.id;
  return old;
end
$$`,
  'drop trigger if exists gatewright_user_keys_revoked on users',
  `create trigger gatewright_user_keys_revoked before delete on users for each row
  execute function gatewright_user_keys_revoked()`,
];
