// Reads of buildings, with their locations.
import type pg from 'pg'
import { buildingJson } from '../../shared/shapes/buildings.ts'
import { dataText, listJson } from '../../shared/shapes/json.ts'
import { findText } from './statement.ts'

const all = {
  name: 'list-buildings',
  text: `SELECT ${dataText(listJson(buildingJson('buildings'), 'buildings.id'))} AS body FROM buildings`,
}

export function listBuildings(pool: pg.Pool): Promise<string | undefined> {
  return findText(pool, all, [])
}
