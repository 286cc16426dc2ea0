// The form that adds a team day of a group, on the people's own pages and in the dashboard.
import { object, queryFlag, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import type { Content } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { ActionCall } from '../page/page.ts'
import { localDate } from '../time/fields.ts'
import type { Fields } from '../ui/fields.ts'

export const newTeamDayForm = object({
  date: required(localDate()),
  is_weekly: queryFlag(),
  location: queryId(),
  note: text({ max: 255 }),
})

export async function createTeamDay(
  call: ActionCall<{ id: number }, unknown, typeof newTeamDayForm.__outputType>,
) {
  const { date, is_weekly, location, note } = call.form
  const when = is_weekly ? { weekday: new Date(date).getUTCDay() || 7 } : { date }
  const day = { ...when, location_id: location, note }
  await call.dispatch('team-days.create', { group_id: call.params.id, ...day })
  return { redirectTo: call.linkHere(), notice: t`Everybody in the group now sees this day.` }
}

export const showNewTeamDayFields = (
  fields: Fields,
  { dayLabel, date, floor }: { dayLabel: string; date: string; floor: Content },
): Content[] => [
  fields.text('date', dayLabel, { type: 'date', value: date, required: true }),
  fields.checkbox('is_weekly', t`Every week on this weekday`),
  floor,
  fields.text('note', t`Note`),
]
