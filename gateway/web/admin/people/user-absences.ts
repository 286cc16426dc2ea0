// The card on the page of a user that lists the user's absences, and records and removes them.
import { object, queryFlag, required } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { plural, t } from '../../locales/translate.ts'
import { formatDays, listUpcomingAbsences, showAbsences } from '../../pages/absences/absences.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { localDate } from '../../pages/time/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showCard } from '../../pages/ui/parts.ts'

type UserCall<Form> = ActionCall<{ id: number }, unknown, Form>

export const userAbsenceForm = object({
  from: required(localDate()),
  to: required(localDate()),
  release_bookings: queryFlag(),
})

export async function recordAbsence(
  call: UserCall<{ from: string; to: string; release_bookings?: boolean | undefined }>,
) {
  const input = { ...call.form, kind: 'away' as const, user_id: call.params.id }
  const { data } = await call.dispatch('absences.create', input)
  const recorded = t`Away: ${formatDays(data)}.`
  const released = data.released_bookings
  const notice =
    released > 0 ? `${recorded} ${plural(released, '# booking released.', '# bookings released.')}` : recorded
  return { redirectTo: call.linkHere(), notice }
}

export async function removeAbsence(call: UserCall<{ id: number }>) {
  await call.dispatch('absences.delete', { user_id: call.params.id, absence_id: call.form.id })
  return { redirectTo: call.linkHere(), notice: t`Absence removed.` }
}

export async function showAbsencesCard(call: Call, userId: number): Promise<Html> {
  const today = formatLocalDate(call.now, await findCommonZone(call.reads))
  const absences = await listUpcomingAbsences(call.reads, userId, today)
  return showCard(
    t`Away`,
    html`${showAbsences(call, absences)}
${form(call, { action: 'record-absence', submit: t`Record absence`, tone: 'quiet' }, (fields) => [
  fields.text('from', t`First day`, { type: 'date', min: today }),
  fields.text('to', t`Last day`, { type: 'date', min: today }),
  fields.checkbox('release_bookings', t`Release the person’s bookings on these days`),
])}`,
    'away',
  )
}
