// Replaces the groups and the license plates of users. Creates groups that do not exist.
import { PLACE_IN_NO_BUILDING } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES } from '../../../shared/changes/changes-shape.ts'
import { createAuthorBindings, insertChangesSql, NAMED_AUTHOR_SQL } from '../../../shared/changes/record.ts'
import { normalizedPlateSql, normalizePlate } from '../../../shared/users/plates.ts'
import type { Write } from '../../runtime/write.ts'

/**
 * Returns statements that replace the groups of users. Each row of `source` has a `user_id` and its `groups`, which
 * must exist.
 */
export const replaceGroupsSql = (source: string) => [
  `DELETE FROM group_members USING ${source} AS wanted, groups
   WHERE group_members.user_id = wanted.user_id AND groups.id = group_members.group_id
     AND groups.name <> ALL (wanted.groups)`,
  `INSERT INTO group_members (group_id, user_id)
   SELECT groups.id, wanted.user_id FROM (SELECT user_id, unnest(groups) AS name FROM ${source} AS given) AS wanted
   JOIN groups ON groups.name = wanted.name ON CONFLICT DO NOTHING`,
]

const STORED_PLATE_SQL = normalizedPlateSql('vehicles.license_plate')

/**
 * Returns statements that replace the license plates of users. Each row of `source` has a `user_id` and its normalized
 * `license_plates`. A booking keeps its plate, because parking attendants need it.
 */
export const replacePlatesSql = (source: string) => [
  `DELETE FROM vehicles USING ${source} AS wanted
   WHERE vehicles.user_id = wanted.user_id AND ${STORED_PLATE_SQL} <> ALL (wanted.license_plates)`,
  `INSERT INTO vehicles (user_id, license_plate)
   SELECT user_id, plate FROM ${source} AS wanted, unnest(license_plates) WITH ORDINALITY AS given (plate, ordinal)
   WHERE NOT EXISTS (SELECT FROM vehicles WHERE vehicles.user_id = wanted.user_id AND ${STORED_PLATE_SQL} = plate)
   ORDER BY user_id, ordinal ON CONFLICT DO NOTHING`,
]

/** Creates the groups that do not exist. `names` is a statement that selects the group names, with its bound values. */
export async function ensureGroups(write: Write, names: string, values: Record<string, string[]> = {}) {
  await write.run(
    `WITH groups AS (
       INSERT INTO groups (name) ${names} ORDER BY name ON CONFLICT DO NOTHING RETURNING *
     ) ${RECORD_GROUPS_SQL}`,
    { ...createAuthorBindings(write), ...values },
  )
}

const RECORD_GROUPS_SQL = `${insertChangesSql(
  {
    type: "'group'",
    action: "'created'",
    id: 'groups.id',
    data: String(CHANGED_SHAPES.groups.json),
    previous: 'NULL',
    place: PLACE_IN_NO_BUILDING,
  },
  NAMED_AUTHOR_SQL,
)} FROM groups ORDER BY groups.id`

const ONE_USER_SQL = `(SELECT CAST(:id AS bigint) AS user_id, CAST(:groups AS text[]) AS groups,
  CAST(:license_plates AS text[]) AS license_plates)`

/** Sets the groups and the license plates of a user. If one of the two is not given, it stays unchanged. */
export async function setGroupsAndPlates(
  write: Write,
  id: number,
  { groups, license_plates }: { groups?: string[] | undefined; license_plates?: string[] | undefined },
): Promise<void> {
  if (groups) await ensureGroups(write, 'SELECT DISTINCT unnest(CAST(:groups AS text[])) AS name', { groups })
  const statements = [
    ...(groups ? replaceGroupsSql(ONE_USER_SQL) : []),
    ...(license_plates ? replacePlatesSql(ONE_USER_SQL) : []),
  ]
  const values = { id, groups: groups ?? [], license_plates: (license_plates ?? []).map(normalizePlate) }
  for (const statement of statements) await write.run(statement, values)
}
