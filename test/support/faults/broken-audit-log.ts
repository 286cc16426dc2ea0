// Makes a write fail in the middle, when it writes its audit entries.
import type { World } from '../world.ts'

/** SQL that breaks the database connection, as if the worker had died. */
export const CUT_CONNECTION_SQL = 'PERFORM pg_terminate_backend(pg_backend_pid())'

/** Makes a single write fail before its second audit entry with the given action. */
export async function failAtSecondAuditEntry(
  world: World,
  action: string,
  how: string,
  work: () => Promise<void>,
) {
  await world.database.raw(`
    CREATE SEQUENCE breaks;
    CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.action = '${action}' AND nextval('breaks') = 2 THEN ${how}; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER break BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION break()`)
  try {
    await work()
  } finally {
    await world.database.raw('DROP TRIGGER break ON audit_log; DROP FUNCTION break; DROP SEQUENCE breaks')
  }
}
