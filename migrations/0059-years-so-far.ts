// Stores, for each floor, the day from which upkeep has yet to update the sums of the current year. Triggers record
// this day for every worker, including those of the previous release, which do not compute these sums.
import { sql } from './steps/sql.ts'

export const contracts = 'Only the new column loses its default, which was needed only for existing rows.'

export const up = sql`
    -- Existing floors have no sums of the year yet. Floors that are added later have nothing to add up.
    ALTER TABLE figured_locations ADD COLUMN unsummed_since date DEFAULT '-infinity';
    ALTER TABLE figured_locations ALTER COLUMN unsummed_since DROP DEFAULT;

    -- A report reads few rows, and starting parallel workers takes longer than reading them.
    ALTER TABLE location_figures SET (parallel_workers = 0);
    ALTER TABLE bookable_figures SET (parallel_workers = 0);

    -- In a new time zone, the figures of the last ninety days are computed again.
    CREATE FUNCTION note_counted_days() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.unsummed_since := least(OLD.unsummed_since,
          CASE WHEN NEW.timezone = OLD.timezone THEN OLD.last_day + 1 ELSE OLD.last_day - 91 END);
        RETURN NEW;
      END $$;
    CREATE TRIGGER figured_locations__counted BEFORE UPDATE OF timezone, last_day ON figured_locations FOR EACH ROW
      EXECUTE FUNCTION note_counted_days();

    -- All past figures of a bookable that has moved, because it may come from a floor whose sums are missing.
    CREATE FUNCTION note_recounted_days() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE figured_locations SET unsummed_since = least(unsummed_since, since)
        FROM (SELECT CASE WHEN lower(OLD.during) = '-infinity' THEN '-infinity'
          ELSE (lower(OLD.during) AT TIME ZONE 'UTC')::date - 1 END AS since) AS noted
        WHERE location_id = OLD.location_id AND (unsummed_since <= since) IS NOT TRUE;
        RETURN NULL;
      END $$;
    CREATE TRIGGER past_changes__recounted AFTER DELETE ON past_changes FOR EACH ROW
      EXECUTE FUNCTION note_recounted_days();
  `

export const down = sql`
    DROP TRIGGER figured_locations__counted ON figured_locations;
    DROP TRIGGER past_changes__recounted ON past_changes;
    DROP FUNCTION note_counted_days, note_recounted_days;
    ALTER TABLE figured_locations DROP COLUMN unsummed_since;
    ALTER TABLE location_figures RESET (parallel_workers);
    ALTER TABLE bookable_figures RESET (parallel_workers);
    DELETE FROM location_figures WHERE period = 2;
    DELETE FROM bookable_figures WHERE period = 2;
  `
