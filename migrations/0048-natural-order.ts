// Adds a collation that sorts names as people do, with numbers by value: Desk 0.2 before Desk 0.11.
import { sql } from './steps/sql.ts'

export const up = sql`CREATE COLLATION natural_order (provider = icu, locale = 'und-u-kn-true')`

export const down = sql`DROP COLLATION natural_order`
