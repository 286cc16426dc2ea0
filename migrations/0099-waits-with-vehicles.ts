// Adds the vehicle for which a person waits for a parking spot. Migration 100 validates the constraint.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE waits ADD COLUMN vehicle_id bigint;
    ALTER TABLE waits ADD CONSTRAINT waits__vehicle FOREIGN KEY (vehicle_id) REFERENCES vehicles ON DELETE SET NULL NOT VALID;
    CREATE INDEX waits__vehicle_lookup ON waits (vehicle_id) WHERE vehicle_id IS NOT NULL;
  `

export const down = sql`
    ALTER TABLE waits DROP COLUMN vehicle_id;
  `
