// Adds daily figures for reports: per floor and bookable, by day, with sums by month and year; the day up to which the
// figures are complete; and past days that have changed since. Triggers record these days, so that they cover every
// writer: handlers, upkeep, erasures and the previous release. There are no foreign keys, because figures outlive their
// subjects.
import { sql } from './steps/sql.ts'

export const contracts =
  'The new column bookables.created_at gets its default in a second step, so that existing bookables have no date.'

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))
const hourColumnsSql = (name: string) => HOURS.map((hour) => `${name}_${hour} integer NOT NULL`).join(', ')

// Days that end after this time get their figures an hour after they end, and this transaction ends earlier.
const RECENT_TIME_SQL = "now() - interval '30 minutes'"

const figuresTableSql = (table: string, columns: string, key: string) => `
    CREATE TABLE ${table} (
      period smallint NOT NULL CONSTRAINT ${table}__period_known CHECK (period BETWEEN 0 AND 2),
      first_day date NOT NULL,
      ${columns},
      bookings integer NOT NULL,
      no_shows integer NOT NULL,
      CONSTRAINT ${table}__key PRIMARY KEY (period, first_day, ${key})
    );`

export const up = sql`
    ${figuresTableSql(
      'location_figures',
      `location_id bigint NOT NULL, type smallint NOT NULL, weekday smallint NOT NULL,
      ${hourColumnsSql('booked')}, ${hourColumnsSql('available')}`,
      'location_id, type, weekday',
    )}
    ${figuresTableSql('bookable_figures', 'bookable_id bigint NOT NULL, minutes integer NOT NULL', 'bookable_id')}

    CREATE TABLE figured_locations (
      location_id bigint CONSTRAINT figured_locations__key PRIMARY KEY,
      -- The time zone in which the days of the floor were computed.
      timezone text NOT NULL,
      last_day date NOT NULL
    );

    CREATE TABLE past_changes (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT past_changes__key PRIMARY KEY,
      location_id bigint NOT NULL,
      during tstzrange NOT NULL
    );

    ALTER TABLE bookables ADD COLUMN created_at timestamptz;
    ALTER TABLE bookables ALTER COLUMN created_at SET DEFAULT now();

    -- If only the end of a booking has changed, only the time between the two ends is affected.
    CREATE FUNCTION note_past_change() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE first_end timestamptz; last_end timestamptz;
      BEGIN
        IF TG_OP = 'UPDATE' AND OLD.bookable_id = NEW.bookable_id AND lower(OLD.during) = lower(NEW.during)
            AND OLD.released_at IS NOT DISTINCT FROM NEW.released_at THEN
          first_end := least(coalesce(upper(OLD.during), 'infinity'), coalesce(upper(NEW.during), 'infinity'));
          last_end := greatest(coalesce(upper(OLD.during), 'infinity'), coalesce(upper(NEW.during), 'infinity'));
          INSERT INTO past_changes (location_id, during)
          SELECT location_id, tstzrange(first_end, last_end) FROM bookables
          WHERE id = NEW.bookable_id AND first_end < last_end AND first_end < ${RECENT_TIME_SQL};
          RETURN NULL;
        END IF;
        IF TG_OP <> 'INSERT' THEN
          INSERT INTO past_changes (location_id, during)
          SELECT location_id, OLD.during FROM bookables WHERE id = OLD.bookable_id;
        END IF;
        IF TG_OP <> 'DELETE' THEN
          INSERT INTO past_changes (location_id, during)
          SELECT location_id, NEW.during FROM bookables WHERE id = NEW.bookable_id;
        END IF;
        RETURN NULL;
      END $$;
    CREATE TRIGGER bookings__past_inserted AFTER INSERT ON bookings FOR EACH ROW
      WHEN (lower(NEW.during) < ${RECENT_TIME_SQL}) EXECUTE FUNCTION note_past_change();
    CREATE TRIGGER bookings__past_updated AFTER UPDATE OF bookable_id, during, released_at ON bookings FOR EACH ROW
      WHEN (lower(OLD.during) < ${RECENT_TIME_SQL} OR lower(NEW.during) < ${RECENT_TIME_SQL}) EXECUTE FUNCTION note_past_change();
    CREATE TRIGGER bookings__past_deleted AFTER DELETE ON bookings FOR EACH ROW
      WHEN (lower(OLD.during) < ${RECENT_TIME_SQL}) EXECUTE FUNCTION note_past_change();

    -- The past figures of a bookable move with it.
    CREATE FUNCTION note_moved_bookable() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO past_changes (location_id, during)
        VALUES (OLD.location_id, tstzrange('-infinity', now())), (NEW.location_id, tstzrange('-infinity', now()));
        RETURN NULL;
      END $$;
    CREATE TRIGGER bookables__past_moved AFTER UPDATE OF location_id ON bookables FOR EACH ROW
      WHEN (OLD.location_id <> NEW.location_id) EXECUTE FUNCTION note_moved_bookable();
  `

export const down = sql`
    DROP TRIGGER bookings__past_inserted ON bookings;
    DROP TRIGGER bookings__past_updated ON bookings;
    DROP TRIGGER bookings__past_deleted ON bookings;
    DROP TRIGGER bookables__past_moved ON bookables;
    DROP FUNCTION note_past_change, note_moved_bookable;
    ALTER TABLE bookables DROP COLUMN created_at;
    DROP TABLE past_changes, figured_locations, bookable_figures, location_figures;
  `
