// Reads of groups.
import type pg from 'pg'
import { groupJson } from '../../shared/shapes/groups.ts'
import { dataText, listJson } from '../../shared/shapes/json.ts'
import { findText } from './statement.ts'

const all = {
  name: 'list-groups',
  text: `SELECT ${dataText(listJson(groupJson('groups'), 'groups.id'))} AS body FROM groups`,
}

export function listGroups(pool: pg.Pool): Promise<string | undefined> {
  return findText(pool, all, [])
}
