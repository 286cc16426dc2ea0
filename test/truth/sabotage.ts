// Takes one of the pillars of truth away, in the test's own database: then a trial must find lies. Each is taken away
// so that everything else goes on as before.
import type { Knex } from 'knex'

export const SABOTAGE = {
  'the receipt of what was done': (database: Knex) =>
    forgetAtCommit(database, 'NEW.outcome IS NOT NULL', 'UPDATE'),

  'the mark of what was abandoned': (database: Knex) =>
    forgetAtCommit(database, 'NEW.abandoned_at IS NOT NULL', 'INSERT'),

  // One of the same name that nothing breaks: ON CONFLICT names it.
  'the exclusion constraint': (database: Knex) =>
    database.raw(`
      ALTER TABLE bookings DROP CONSTRAINT bookings__no_overlap;
      ALTER TABLE bookings ADD CONSTRAINT bookings__no_overlap
        EXCLUDE USING gist (id WITH =, during WITH &&) WHERE (exclusive)`),
}

// At the end of the transaction: until then it works as it should.
function forgetAtCommit(database: Knex, condition: string, event: string) {
  return database.raw(`
    CREATE FUNCTION forget_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN DELETE FROM receipts WHERE attempt = NEW.attempt; RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER forget_receipt AFTER ${event} ON receipts
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION forget_receipt()`)
}
