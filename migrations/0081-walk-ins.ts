// Adds walk-ins: visitors whom nobody has announced and whom the front desk records as they arrive. The arrival of a
// walk-in has a name, a host and a building, and is deleted with its host, or after 30 days. Migration 82 validates the
// constraints.
import { sql } from './steps/sql.ts'

export const contracts =
  'Replaces a constraint of arrivals with one that also allows arrivals with a host. It refuses nothing that earlier releases insert.'

export const up = sql`
    ALTER TABLE arrivals ADD COLUMN visitor_name text, ADD COLUMN host_id bigint, ADD COLUMN building_id bigint;
    ALTER TABLE arrivals DROP CONSTRAINT arrivals__of_one;
    ALTER TABLE arrivals
      ADD CONSTRAINT arrivals__of_one CHECK (num_nonnulls(attendee_id, booking_id, host_id) = 1) NOT VALID,
      ADD CONSTRAINT arrivals__walk_in
        CHECK (num_nonnulls(visitor_name, host_id, building_id) IN (0, 3)) NOT VALID,
      ADD CONSTRAINT arrivals__visitor_name_length
        CHECK (char_length(visitor_name) BETWEEN 1 AND 255) NOT VALID,
      ADD CONSTRAINT arrivals__host FOREIGN KEY (host_id) REFERENCES users ON DELETE CASCADE NOT VALID,
      ADD CONSTRAINT arrivals__building FOREIGN KEY (building_id) REFERENCES buildings ON DELETE CASCADE NOT VALID;
    CREATE INDEX arrivals__host_lookup ON arrivals (host_id) WHERE host_id IS NOT NULL;
    CREATE INDEX arrivals__building_lookup ON arrivals (building_id, arrived_at) WHERE building_id IS NOT NULL;
  `

export const down = sql`
    DELETE FROM arrivals WHERE host_id IS NOT NULL;
    ALTER TABLE arrivals DROP COLUMN visitor_name, DROP COLUMN host_id, DROP COLUMN building_id;
    ALTER TABLE arrivals ADD CONSTRAINT arrivals__of_one CHECK (num_nonnulls(attendee_id, booking_id) = 1);
  `
