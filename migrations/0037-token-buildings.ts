// Adds the buildings that a token is limited to. A webhook keeps the limit of the token that created it, and
// a change lists the former and current buildings of its resource. Null means no limit. These ids are not
// foreign keys: a token whose buildings have all been deleted finds nothing, instead of becoming unlimited.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE tokens ADD COLUMN building_ids bigint[];
    ALTER TABLE tokens ADD CONSTRAINT tokens__building_ids_number
      CHECK (cardinality(building_ids) BETWEEN 1 AND 100) NOT VALID;
    ALTER TABLE webhooks ADD COLUMN building_ids bigint[];
    ALTER TABLE changes ADD COLUMN building_ids bigint[]
  `

export const down = sql`
    ALTER TABLE changes DROP COLUMN building_ids;
    ALTER TABLE webhooks DROP COLUMN building_ids;
    ALTER TABLE tokens DROP COLUMN building_ids
  `
