// Finds the current names of the things that entries of the audit log mention, in one statement.
import type pg from 'pg'
import { fieldsOf } from './paths.ts'
import type { AuditEntry } from './queries.ts'

type Named = { kind: string; id: number; name: string; zone: string | null; isThere: boolean }

/** The resource that the ids in a field refer to. Some fields contain a list of ids. */
const REFERENCES: Record<string, string> = {
  bookable_id: 'bookables',
  user_id: 'users',
  organizer_user_id: 'users',
  location_id: 'locations',
  building_id: 'buildings',
  event_id: 'events',
  assignees: 'users',
  bookables: 'bookables',
}

export const kindOf = (field: string): string | undefined =>
  Object.hasOwn(REFERENCES, field) ? REFERENCES[field] : undefined

export class Names {
  readonly #known: Map<string, Named>

  constructor(rows: Named[]) {
    this.#known = new Map(rows.map((row) => [`${row.kind} ${row.id}`, row]))
  }

  find(kind: string, id: unknown): Named | undefined {
    return this.#known.get(`${kind} ${String(id)}`)
  }
}

export async function findNames(reads: pg.Pool, entries: AuditEntry[]): Promise<Names> {
  const ids = new Map<string, Set<number>>()
  const note = (kind: string | undefined, id: unknown) => {
    if (kind === undefined || typeof id !== 'number' || !Number.isSafeInteger(id)) return
    const known = ids.get(kind) ?? new Set()
    ids.set(kind, known.add(id))
  }
  for (const { resource, resourceId, before, after } of entries) {
    note(resource, resourceId)
    for (const row of [before, after])
      for (const each of withParts(fieldsOf(row)))
        for (const [field, value] of Object.entries(each))
          for (const id of Array.isArray(value) ? value : [value]) note(kindOf(field), id)
  }
  const of = (kind: string) => [...(ids.get(kind) ?? [])]
  const { rows } = await reads.query<Named>(
    `SELECT 'users' AS kind, id, name, NULL AS zone, true AS "isThere" FROM users WHERE id = ANY($1::bigint[])
     UNION ALL
     SELECT 'bookables', bookables.id, bookables.name, buildings.timezone, bookables.deleted_at IS NULL
     FROM bookables JOIN locations ON locations.id = bookables.location_id
     JOIN buildings ON buildings.id = locations.building_id WHERE bookables.id = ANY($2::bigint[])
     UNION ALL SELECT 'locations', id, name, NULL, true FROM locations WHERE id = ANY($3::bigint[])
     UNION ALL SELECT 'buildings', id, name, NULL, true FROM buildings WHERE id = ANY($4::bigint[])
     UNION ALL SELECT 'events', id, name, NULL, true FROM events WHERE id = ANY($5::bigint[])
     UNION ALL SELECT 'tokens', id, name, NULL, true FROM tokens WHERE id = ANY($6::bigint[])
     UNION ALL SELECT 'admins', id, email, NULL, true FROM admins WHERE id = ANY($7::bigint[])
     UNION ALL SELECT 'webhooks', id, url, NULL, true FROM webhooks WHERE id = ANY($8::bigint[])`,
    ['users', 'bookables', 'locations', 'buildings', 'events', 'tokens', 'admins', 'webhooks'].map(of),
  )
  return new Names(rows)
}

// The row of an event contains those of its attendees and rooms.
function withParts(row: Record<string, unknown>): Array<Record<string, unknown>> {
  const parts = [row['attendees'], row['rooms']].flatMap((list) => (Array.isArray(list) ? list : []))
  return [row, ...parts.map(fieldsOf)]
}
