// Queries for screens in the dashboard.
import type pg from 'pg'
import type { Language } from '../../../../shared/messages/languages.ts'
import type { ShownNames } from '../../../../shared/people/shown-names.ts'
import type { ScreenAppearance, ScreenKind } from '../../../../shared/screens/screens.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { column, instantColumn, nullableColumn, numberColumn, textColumn } from '../../../reads/rows/rows.ts'
import { type RowsWithTotal, type Slice, toRowsWithTotal, totalSql } from '../../../reads/rows/slices.ts'
import { type Order, orderSql } from '../../pages/ui/sorting.ts'

const SCREEN_COLUMNS = {
  id: numberColumn('screens.id'),
  kind: column<ScreenKind>('screens.kind'),
  name: textColumn('screens.name'),
  bookableId: nullableColumn(numberColumn('screens.bookable_id')),
  buildingId: numberColumn('buildings.id'),
  /** The name of the room, desk or building that the screen shows. */
  place: textColumn('coalesce(bookables.name, buildings.name)'),
  around: textColumn(
    "concat_ws(', ', locations.name, CASE WHEN bookables.id IS NOT NULL THEN buildings.name END)",
  ),
  bookingEmail: nullableColumn(textColumn('users.email')),
  bookingName: nullableColumn(textColumn('users.name')),
  names: column<ShownNames>('screens.names'),
  appearance: column<ScreenAppearance>('screens.appearance'),
  language: column<Language>('screens.language'),
  createdAt: instantColumn('screens.created_at'),
  lastSeenAt: nullableColumn(instantColumn('screens.last_seen_at')),
  revokedAt: nullableColumn(instantColumn('screens.revoked_at')),
}
export type ScreenRow = rows.RowOf<typeof SCREEN_COLUMNS>

const SCREENS_FROM = `screens
  LEFT JOIN bookables ON bookables.id = screens.bookable_id
  LEFT JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = coalesce(locations.building_id, screens.building_id)
  LEFT JOIN users ON users.id = screens.booking_user_id`

export const SCREEN_ORDERS = {
  name: 'lower(screens.name)',
  place: 'lower(coalesce(bookables.name, buildings.name))',
  seen: "coalesce(screens.last_seen_at, '-infinity')",
}

/** Lists screens. Screens that are switched off come last. */
export async function listScreens(
  reads: pg.Pool,
  { offset, limit }: Slice,
  order: Order<keyof typeof SCREEN_ORDERS>,
): Promise<RowsWithTotal<ScreenRow>> {
  const listed = { ...SCREEN_COLUMNS, total: numberColumn(totalSql('screens')) }
  const found = `${SCREENS_FROM} ORDER BY screens.revoked_at IS NOT NULL, ${orderSql(SCREEN_ORDERS, order, 'screens.id')}
    LIMIT $1 OFFSET $2`
  return toRowsWithTotal(await rows.selectRows(reads, listed, found, [limit, offset]))
}

export const findScreen = (reads: pg.Pool, id: number): Promise<ScreenRow | undefined> =>
  rows.selectRow(reads, SCREEN_COLUMNS, `${SCREENS_FROM} WHERE screens.id = $1`, [id])
