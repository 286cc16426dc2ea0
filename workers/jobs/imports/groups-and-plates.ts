// Replaces sets that belong to users: groups, which are created if missing, and license plates.
import { NOWHERE } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES } from '../../../shared/changes/changes-shape.ts'
import { authorBindings, insertChanges, NAMED_AUTHOR } from '../../../shared/changes/record.ts'
import { normalizePlate, normalPlateSql } from '../../../shared/users/plates.ts'
import type { Write } from '../../runtime/write.ts'

/** Statements over the rows of `source`: each has a `user_id` and its `groups`, which exist already. */
export const replaceGroups = (source: string) => [
  `DELETE FROM group_members USING ${source} AS wanted, groups
   WHERE group_members.user_id = wanted.user_id AND groups.id = group_members.group_id
     AND groups.name <> ALL (wanted.groups)`,
  `INSERT INTO group_members (group_id, user_id)
   SELECT groups.id, wanted.user_id FROM (SELECT user_id, unnest(groups) AS name FROM ${source} AS given) AS wanted
   JOIN groups ON groups.name = wanted.name ON CONFLICT DO NOTHING`,
]

const STORED_PLATE = normalPlateSql('vehicles.license_plate')

/**
 * The same of `license_plates`, which are in their normal form. A booking keeps its plate, because parking attendants
 * need it.
 */
export const replacePlates = (source: string) => [
  `DELETE FROM vehicles USING ${source} AS wanted
   WHERE vehicles.user_id = wanted.user_id AND ${STORED_PLATE} <> ALL (wanted.license_plates)`,
  `INSERT INTO vehicles (user_id, license_plate)
   SELECT user_id, plate FROM ${source} AS wanted, unnest(license_plates) WITH ORDINALITY AS given (plate, ordinal)
   WHERE NOT EXISTS (SELECT FROM vehicles WHERE vehicles.user_id = wanted.user_id AND ${STORED_PLATE} = plate)
   ORDER BY user_id, ordinal ON CONFLICT DO NOTHING`,
]

/** `names` is a statement that selects the names, with the values that it binds. */
export async function ensureGroups(write: Write, names: string, values: Record<string, string[]> = {}) {
  await write.run(
    `WITH groups AS (
       INSERT INTO groups (name) ${names} ORDER BY name ON CONFLICT DO NOTHING RETURNING *
     ) ${RECORD_GROUPS}`,
    { ...authorBindings(write), ...values },
  )
}

const RECORD_GROUPS = `${insertChanges(
  {
    type: "'group'",
    action: "'created'",
    id: 'groups.id',
    data: String(CHANGED_SHAPES.groups.json),
    previous: 'NULL',
    place: NOWHERE,
  },
  NAMED_AUTHOR,
)} FROM groups ORDER BY groups.id`

const ONE_USER = `(SELECT CAST(:id AS bigint) AS user_id, CAST(:groups AS text[]) AS groups,
  CAST(:license_plates AS text[]) AS license_plates)`

/** A set that is not given stays. */
export async function setGroupsAndPlates(
  write: Write,
  id: number,
  { groups, license_plates }: { groups?: string[] | undefined; license_plates?: string[] | undefined },
): Promise<void> {
  if (groups) await ensureGroups(write, 'SELECT DISTINCT unnest(CAST(:groups AS text[])) AS name', { groups })
  const statements = [
    ...(groups ? replaceGroups(ONE_USER) : []),
    ...(license_plates ? replacePlates(ONE_USER) : []),
  ]
  const values = { id, groups: groups ?? [], license_plates: (license_plates ?? []).map(normalizePlate) }
  for (const statement of statements) await write.run(statement, values)
}
