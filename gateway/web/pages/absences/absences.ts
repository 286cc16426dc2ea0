// Reads and shows absences, for people's pages and the dashboard.
import type pg from 'pg'
import { FIRST_DAY_SQL, LAST_DAY_SQL } from '../../../../shared/absences/absences-shape.ts'
import { object, queryId, required } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { numberColumn, type RowOf, selectRows, textColumn } from '../../../reads/rows/rows.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../page/page.ts'
import { formatDate } from '../time/instants.ts'
import { form } from '../ui/forms.ts'

export type Days = { from: string; to: string }

/** The form of the action `remove-absence`, which the page must define. */
export const removeAbsenceForm = object({ id: required(queryId()) })

const ABSENCE_COLUMNS = {
  id: numberColumn('absences.id'),
  from: textColumn(`to_char(${FIRST_DAY_SQL}, 'YYYY-MM-DD')`),
  to: textColumn(`to_char(${LAST_DAY_SQL}, 'YYYY-MM-DD')`),
}

/** Lists a person's absences that are not over. */
export const listUpcomingAbsences = (reads: pg.Pool, userId: number, today: string) =>
  selectRows(
    reads,
    ABSENCE_COLUMNS,
    'absences WHERE user_id = $1 AND upper(days) > $2::date ORDER BY days LIMIT 200',
    [userId, today],
  )

export const formatDays = ({ from, to }: Days): string =>
  from === to ? formatDate(from, 'weekday') : `${formatDate(from, 'weekday')} – ${formatDate(to, 'weekday')}`

/** Shows absences, each with a button that removes it. */
export function showAbsences(call: Call, absences: RowOf<typeof ABSENCE_COLUMNS>[]): Html | false {
  const shown = absences.map(
    ({ id, ...days }) =>
      html`<li><span>${formatDays(days)}</span>${form(call, {
        action: 'remove-absence',
        key: id,
        hidden: { id },
        submit: t`Remove`,
        submitLabel: `${t`Remove`}: ${formatDays(days)}`,
        tone: 'quiet',
        isInline: true,
      })}</li>`,
  )
  return shown.length > 0 && html`<ul class="my-rows">${shown}</ul>`
}
