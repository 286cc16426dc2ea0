// People as the dashboard lists and shows them.
import type pg from 'pg'
import { versionSql } from '../../../shared/shapes/versions.ts'
import { likePattern } from '../search/search.ts'

export type PersonRow = {
  id: number
  name: string
  email: string
  upn: string | null
  deactivatedAt: string | null
  groups: string[]
  plates: string[]
}

export type Search = {
  search: string | undefined
  state: 'active' | 'deactivated' | 'all'
  group: number | undefined
}

const COLUMNS = `
  users.id, users.name, users.email, users.upn, users.deactivated_at AS "deactivatedAt",
  ARRAY(SELECT groups.name FROM group_members JOIN groups ON groups.id = group_id
    WHERE group_members.user_id = users.id ORDER BY 1) AS groups,
  ARRAY(SELECT license_plate FROM vehicles WHERE vehicles.user_id = users.id ORDER BY 1) AS plates`

const WORDS_MAX = 8

const STATES = {
  active: 'users.deactivated_at IS NULL',
  deactivated: 'users.deactivated_at IS NOT NULL',
  all: 'true',
}

/** Ordered by name. */
export async function listPeople(
  reads: pg.Pool,
  { search, state, group }: Search,
  { offset, limit }: { offset: number; limit: number },
): Promise<PersonRow[]> {
  const values: unknown[] = [limit, offset]
  const place = (value: unknown) => `$${values.push(value)}`
  const conditions = [STATES[state]]
  if (group !== undefined) conditions.push(isMember(`groups.id = ${place(group)}`))
  if (search !== undefined) conditions.push(matches(search, place))
  // Found first and ordered then: by the index of names Postgres would walk through all of them to find a few. Without a
  // search that index is what makes it fast.
  const fence = search !== undefined || group !== undefined ? 'OFFSET 0' : ''
  const { rows } = await reads.query<PersonRow>(
    `SELECT ${COLUMNS} FROM (
       SELECT id FROM (SELECT id, name FROM users WHERE ${conditions.join(' AND ')} ${fence}) AS found
       ORDER BY lower(name), id LIMIT $1 OFFSET $2
     ) AS shown
     JOIN users ON users.id = shown.id
     ORDER BY lower(users.name), users.id`,
    values,
  )
  return rows
}

// All words somewhere in the name, the e-mail and the UPN; or the whole in a plate or in a group's name. It reads all of
// them, whatever is sought: 130 ms for 200,000. A union of ids takes 80 ms where few are found, and seconds where many.
function matches(search: string, place: (value: unknown) => string): string {
  const lower = search.toLowerCase()
  const words = lower
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX)
  const whole = place(likePattern(lower))
  const plate = place(likePattern(lower.replace(/\s+/g, '')))
  return `(
    lower(users.name || ' ' || users.email || ' ' || coalesce(users.upn, '')) LIKE ALL (${place(words.map(likePattern))}::text[])
    OR users.id IN (SELECT user_id FROM vehicles WHERE lower(replace(license_plate, ' ', '')) LIKE ${plate})
    OR ${isMember(`lower(groups.name) LIKE ${whole}`)})`
}

const isMember = (condition: string) =>
  `users.id IN (SELECT user_id FROM group_members JOIN groups ON groups.id = group_id WHERE ${condition})`

export type Person = Omit<PersonRow, 'plates'> & {
  attributes: Record<string, string>
  vehicles: Array<{ id: number; license_plate: string }>
  createdAt: string
  updatedAt: string
  version: string
}

export async function findPerson(reads: pg.Pool, id: number): Promise<Person | undefined> {
  const { rows } = await reads.query<Person>(
    `SELECT ${COLUMNS}, users.extension_attributes AS attributes, users.created_at AS "createdAt",
       users.updated_at AS "updatedAt", ${versionSql('users')} AS version,
       coalesce((SELECT json_agg(json_build_object('id', vehicles.id, 'license_plate', license_plate) ORDER BY license_plate)
         FROM vehicles WHERE vehicles.user_id = users.id), '[]') AS vehicles
     FROM users WHERE users.id = $1`,
    [id],
  )
  return rows[0]
}

export type ComingRow = {
  id: number
  bookable: string
  location: string
  building: string
  timezone: string
  from: string
  to: string | null
  plate: string | null
}

/** What somebody holds now and later. */
export async function listComing(
  reads: pg.Pool,
  userId: number,
  now: string,
  limit: number,
): Promise<ComingRow[]> {
  const { rows } = await reads.query<ComingRow>(
    `SELECT bookings.id, bookables.name AS bookable, locations.name AS location, buildings.name AS building,
       buildings.timezone, lower(during) AS "from", CASE WHEN NOT upper_inf(during) THEN upper(during) END AS "to",
       bookings.license_plate AS plate
     FROM bookings
     JOIN bookables ON bookables.id = bookings.bookable_id
     JOIN locations ON locations.id = bookables.location_id
     JOIN buildings ON buildings.id = locations.building_id
     WHERE bookings.user_id = $1 AND during && tstzrange($2, NULL)
     ORDER BY lower(during), bookings.id
     LIMIT $3`,
    [userId, now, limit],
  )
  return rows
}

export type HolderRow = {
  id: number
  name: string
  email: string
  deactivatedAt: string
  held: number
  next: string
}

const HOLDERS = `
  SELECT users.id, users.name, users.email, users.deactivated_at AS "deactivatedAt", count(*)::int AS held,
    min(lower(bookings.during)) AS next
  FROM users JOIN bookings ON bookings.user_id = users.id
  WHERE users.deactivated_at IS NOT NULL AND bookings.during && tstzrange($1, NULL)
  GROUP BY users.id`

/** Deactivated people who still hold bookings; those with most of them first. */
export async function listHolders(
  reads: pg.Pool,
  now: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<HolderRow[]> {
  const { rows } = await reads.query<HolderRow>(
    `SELECT * FROM (${HOLDERS}) AS holders ORDER BY held DESC, lower(name), id LIMIT $2 OFFSET $3`,
    [now, limit, offset],
  )
  return rows
}

export async function countHeld(reads: pg.Pool, now: string): Promise<{ people: number; bookings: number }> {
  const { rows } = await reads.query<{ people: number; bookings: number }>(
    `SELECT count(*)::int AS people, coalesce(sum(held), 0)::int AS bookings FROM (${HOLDERS}) AS holders`,
    [now],
  )
  return rows[0] ?? { people: 0, bookings: 0 }
}

export type GroupRow = { id: number; name: string; members: number }

export async function listGroups(
  reads: pg.Pool,
  search: string | undefined,
  { offset, limit }: { offset: number; limit: number },
): Promise<GroupRow[]> {
  const { rows } = await reads.query<GroupRow>(
    `SELECT groups.id, groups.name,
       (SELECT count(*)::int FROM group_members JOIN users ON users.id = user_id
         WHERE group_id = groups.id AND users.deactivated_at IS NULL) AS members
     FROM groups WHERE $1::text IS NULL OR lower(groups.name) LIKE $1
     ORDER BY lower(groups.name), groups.id LIMIT $2 OFFSET $3`,
    [search === undefined ? null : likePattern(search.toLowerCase()), limit, offset],
  )
  return rows
}

export async function findGroup(reads: pg.Pool, id: number): Promise<{ name: string } | undefined> {
  const { rows } = await reads.query<{ name: string }>('SELECT name FROM groups WHERE id = $1', [id])
  return rows[0]
}

/** Which extension attributes people have here, as a thousand of them tell. */
export async function listAttributes(reads: pg.Pool): Promise<string[]> {
  const { rows } = await reads.query<{ name: string }>(
    `SELECT DISTINCT jsonb_object_keys(extension_attributes) AS name
     FROM (SELECT extension_attributes FROM users WHERE deactivated_at IS NULL LIMIT 1000) AS first`,
  )
  return rows.map(({ name }) => name)
}
