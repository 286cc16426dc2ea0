// Adds the waitlist: who is waiting for one desk or room, or for any place of a type on a floor. People are served in
// the order of the entries' ids. A place that becomes free is offered as a hold of kind “offer”.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE waits (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT waits__key PRIMARY KEY,
      user_id bigint NOT NULL CONSTRAINT waits__user REFERENCES users ON DELETE CASCADE,
      bookable_id bigint CONSTRAINT waits__bookable REFERENCES bookables,
      location_id bigint CONSTRAINT waits__location REFERENCES locations ON DELETE CASCADE,
      type smallint,
      during tstzrange NOT NULL CONSTRAINT waits__during_half_open CHECK (
        NOT isempty(during) AND lower_inc(during) AND NOT upper_inc(during) AND lower(during) <> '-infinity'
        AND NOT upper_inf(during) AND upper(during) <> 'infinity'
      ),
      state text NOT NULL DEFAULT 'waiting' CONSTRAINT waits__state_known
        CHECK (state IN ('waiting', 'offered', 'taken', 'declined', 'missed', 'cancelled', 'over')),
      created_at timestamptz NOT NULL DEFAULT now(),
      ended_at timestamptz,
      -- The hold of the last offer.
      hold_id bigint CONSTRAINT waits__hold_once UNIQUE CONSTRAINT waits__hold REFERENCES holds ON DELETE SET NULL,
      CONSTRAINT waits__for_one CHECK (num_nonnulls(bookable_id, location_id) = 1 AND (location_id IS NULL) = (type IS NULL)),
      CONSTRAINT waits__ended CHECK ((state IN ('waiting', 'offered')) = (ended_at IS NULL))
    );
    CREATE UNIQUE INDEX waits__once
      ON waits (user_id, coalesce(bookable_id, 0), coalesce(location_id, 0), coalesce(type, 0), during)
      WHERE ended_at IS NULL;
    CREATE INDEX waits__user_lookup ON waits (user_id, id);
    CREATE INDEX waits__line ON waits (id) WHERE state = 'waiting';
    CREATE INDEX waits__bookable_lookup ON waits (bookable_id, id) WHERE bookable_id IS NOT NULL;
    CREATE INDEX waits__location_lookup ON waits (location_id, id) WHERE location_id IS NOT NULL;
    CREATE INDEX waits__age_lookup ON waits (ended_at) WHERE ended_at IS NOT NULL;
  `

// Reverting releases the offered claims, which the previous release would keep until they lapse.
export const down = sql`
    DELETE FROM bookings USING waits WHERE bookings.hold_id = waits.hold_id AND waits.state = 'offered';
    UPDATE holds SET state = 'lapsed', decided_at = now() WHERE kind = 'offer' AND state = 'pending';
    DROP TABLE waits;
  `
