// Queries for the buildings that can be closed on holidays.
import type pg from 'pg'
import type { ClosingPlace } from '../../../../shared/rules/closing-places.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { listRows } from '../../../reads/rows/rows.ts'

export type BuildingToClose = ClosingPlace & { name: string }

export const listBuildingsToClose = (reads: pg.Pool, limit: number) =>
  listRows<BuildingToClose>(
    reads,
    `SELECT id, name, timezone AS zone, rules -> 'closed' AS closed FROM buildings
     ORDER BY ${naturalSql('name')}, id LIMIT $1`,
    [limit],
  )
