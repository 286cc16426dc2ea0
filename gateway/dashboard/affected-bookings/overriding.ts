// The checkbox that overrides rules in the forms of bookings and events. It is there only if there are rules.
import type pg from 'pg'
import { queryFlag } from '../../../shared/schemas/fields.ts'
import type { Content } from '../../http/html.ts'
import { t } from '../locales/translate.ts'
import { JOIN_PLACES, number, selectRow } from '../search/rows.ts'
import type { Fields } from '../ui/fields.ts'

export const overridingField = { overrides_rules: queryFlag() }

/** Whether any rule applies to any of these bookables. */
export async function haveRules(reads: pg.Pool, bookableIds: number[]): Promise<boolean> {
  const found = `bookables ${JOIN_PLACES} WHERE bookables.id = ANY($1)
    AND (bookables.rules IS NOT NULL OR locations.rules IS NOT NULL OR buildings.rules IS NOT NULL) LIMIT 1`
  return (await selectRow(reads, { id: number('bookables.id') }, found, [bookableIds])) !== undefined
}

export function showOverriding(fields: Fields, hasRules: boolean): Content {
  if (!hasRules) return null
  return fields.checkbox('overrides_rules', t`Override the rules of this place`, {
    hint: t`Saves even if a rule is broken. The audit log records which rule.`,
  })
}
