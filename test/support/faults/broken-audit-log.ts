// Breaks a write in the middle: when it writes the audit log.
import type { World } from '../world.ts'

/** SQL that cuts the connection, as when a worker dies. */
export const CUT = 'PERFORM pg_terminate_backend(pg_backend_pid())'

/** Once, before the second entry with this action is written. */
export async function breakAtSecond(world: World, action: string, how: string, work: () => Promise<void>) {
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
