// The desks, rooms and parking assigned to a user. Deactivated users keep them, so the dashboard says so.

import type pg from 'pg'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { showLinkOrText } from '../ui/links.ts'
import { formatFirst } from '../ui/words.ts'

export type AssignedBookable = { id: number; name: string; location: string; building: string }

const NAMED_MAX = 5

export async function listAssignedBookables(reads: pg.Pool, userId: number): Promise<AssignedBookable[]> {
  const { rows } = await reads.query<AssignedBookable>(
    `SELECT bookables.id, bookables.name, locations.name AS location, buildings.name AS building
     FROM bookable_assignees
     JOIN bookables ON bookables.id = bookable_assignees.bookable_id
     JOIN locations ON locations.id = bookables.location_id
     JOIN buildings ON buildings.id = locations.building_id
     WHERE bookable_assignees.user_id = $1 AND bookables.deleted_at IS NULL
     ORDER BY ${naturalSql('buildings.name')}, ${naturalSql('locations.name')}, ${naturalSql('bookables.name')}, bookables.id`,
    [userId],
  )
  return rows
}

/** Warns before a user is deactivated. */
export function describeKeptAssignments(assigned: readonly AssignedBookable[]): string {
  if (assigned.length === 0) return ''
  const names = formatFirst(
    assigned.map(({ name }) => name),
    NAMED_MAX,
  )
  return assigned.length === 1
    ? t`${names} stays assigned to them until you end the assignment.`
    : t`${names} stay assigned to them until you end the assignments.`
}

export function showAssignedBookables(call: Call, assigned: readonly AssignedBookable[]): Html {
  const items = assigned.map(
    ({ id, name, location, building }) =>
      html`<li>${showLinkOrText(call.link(`/places/bookables/${id}`), name)} <span class="soft">${location}, ${building}</span></li>`,
  )
  return html`<ul class="rows">${items}</ul>`
}
