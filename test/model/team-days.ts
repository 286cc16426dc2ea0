// Models team days and leads: the leads of a group, or all its members, name the days on which it comes together.
import { type ExpectedAnswer, refuse } from './refusals.ts'
import type { State, TeamDay } from './state.ts'

export type TeamDayBody = { date?: string; weekday?: number; location_id?: number; note?: string }
export type LeadsBody = { user_ids: number[]; anybody: boolean }
/** The owner of the personal token, or undefined for a token of the company. */
type Namer = number | undefined

export function createTeamDay(state: State, namer: Namer, body: TeamDayBody, id: number): ExpectedAnswer {
  const refused = findRefusalOfNamer(state, namer)
  if (refused) return refused
  const { date = null, weekday = null, location_id: location = null, note = null } = body
  state.teamDays.push({ id, date, weekday, location, note } satisfies TeamDay)
  const data = { id, group_id: state.group, date, weekday, location_id: location, note }
  return { status: 200, body: { data } }
}

export function deleteTeamDay(state: State, namer: Namer, id: number): ExpectedAnswer {
  const refused = findRefusalOfNamer(state, namer)
  if (refused) return refused
  if (!state.teamDays.some((each) => each.id === id)) return refuse('not_found')
  state.teamDays = state.teamDays.filter((each) => each.id !== id)
  return { status: 204, body: null }
}

export function setLeads(state: State, { user_ids, anybody }: LeadsBody): ExpectedAnswer {
  if (user_ids.some((id) => id !== state.member))
    return refuse('validation_failed', {
      errors: { user_ids: ['Only active members of the group can lead it.'] },
    })
  state.leads = { users: user_ids, anybody }
  return { status: 200, body: { data: { user_ids, anybody } } }
}

/** To people outside of the group, it does not exist. */
function findRefusalOfNamer({ leads, member }: State, namer: Namer): ExpectedAnswer | undefined {
  if (namer === undefined) return undefined
  if (namer !== member) return refuse('not_found')
  return leads.anybody || leads.users.includes(namer) ? undefined : refuse('personal_token')
}
