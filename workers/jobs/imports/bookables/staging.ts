// The staging table for the rows of a list of desks, rooms and parking.
import { MANY_MAX } from '../../../../shared/bookables/bookables.ts'
import type { StagingTable } from '../stage-import-file.ts'

export const STAGING = 'bookable_rows'

export const BOOKABLES: StagingTable = {
  name: STAGING,
  list: 'bookables',
  rowsMax: MANY_MAX,
  columns: `name text, type text, description text, tags text[], status text, capacity integer, requires_vehicle text,
    position_x double precision, position_y double precision`,
}
