// Queries for screens in the dashboard.
import type pg from 'pg'
import type { Language } from '../../../../shared/messages/languages.ts'
import type { ShownNames } from '../../../../shared/people/shown-names.ts'
import type { ScreenAppearance, ScreenKind } from '../../../../shared/screens/screens.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { column, instant, number, orNull, text } from '../../../reads/rows/rows.ts'
import { type Listed, type Slice, toListed, totalSql } from '../../../reads/rows/slices.ts'
import { type Order, orderSql } from '../../pages/ui/sorting.ts'

const SCREEN = {
  id: number('screens.id'),
  kind: column<ScreenKind>('screens.kind'),
  name: text('screens.name'),
  bookableId: orNull(number('screens.bookable_id')),
  buildingId: number('buildings.id'),
  /** The room, desk or building that it is about. */
  place: text('coalesce(bookables.name, buildings.name)'),
  around: text("concat_ws(', ', locations.name, CASE WHEN bookables.id IS NOT NULL THEN buildings.name END)"),
  bookingEmail: orNull(text('users.email')),
  bookingName: orNull(text('users.name')),
  names: column<ShownNames>('screens.names'),
  appearance: column<ScreenAppearance>('screens.appearance'),
  language: column<Language>('screens.language'),
  createdAt: instant('screens.created_at'),
  lastSeenAt: orNull(instant('screens.last_seen_at')),
  revokedAt: orNull(instant('screens.revoked_at')),
}
export type ScreenRow = rows.RowOf<typeof SCREEN>

const FROM = `screens
  LEFT JOIN bookables ON bookables.id = screens.bookable_id
  LEFT JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = coalesce(locations.building_id, screens.building_id)
  LEFT JOIN users ON users.id = screens.booking_user_id`

export const SCREEN_ORDERS = {
  name: 'lower(screens.name)',
  place: 'lower(coalesce(bookables.name, buildings.name))',
  seen: "coalesce(screens.last_seen_at, '-infinity')",
}

/** Screens that are switched off come last. */
export async function listScreens(
  reads: pg.Pool,
  { offset, limit }: Slice,
  order: Order<keyof typeof SCREEN_ORDERS>,
): Promise<Listed<ScreenRow>> {
  const listed = { ...SCREEN, total: number(totalSql('screens')) }
  const found = `${FROM} ORDER BY screens.revoked_at IS NOT NULL, ${orderSql(SCREEN_ORDERS, order, 'screens.id')}
    LIMIT $1 OFFSET $2`
  return toListed(await rows.selectRows(reads, listed, found, [limit, offset]))
}

export const findScreen = (reads: pg.Pool, id: number): Promise<ScreenRow | undefined> =>
  rows.selectRow(reads, SCREEN, `${FROM} WHERE screens.id = $1`, [id])
