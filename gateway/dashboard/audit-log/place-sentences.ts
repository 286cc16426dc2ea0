// What the audit log says of places, and of the desks, rooms and parking in them: added, assigned, placed, their rules.
import { BOOKABLE_STATUSES } from '../../../shared/contracts/bookables.ts'
import type { Html } from '../../http/html.ts'
import { type Sentence, type SentencePart, sentence, tHtml, translate } from '../language/translate.ts'
import { formatList } from '../ui/words.ts'
import { showChanges } from './differences.ts'
import { fieldsOf } from './paths.ts'
import { numbersOf, showAll, showNamed, showThing, type Told, withChanges } from './sentence-parts.ts'

export function sayBookableAdded(told: Told): Html {
  const location = told.after['location_id']
  return location === undefined
    ? tHtml`added ${showThing(told)}`
    : tHtml`added ${showThing(told)} in ${showNamed(told.said, 'locations', location)}`
}

function findBuilding({ said, before, after }: Told): SentencePart | undefined {
  const id = after['building_id'] ?? before['building_id']
  return id === undefined ? undefined : showNamed(said, 'buildings', id)
}

export function sayLocationAdded(told: Told): Html {
  const building = findBuilding(told)
  return building === undefined
    ? tHtml`added ${showThing(told)}`
    : tHtml`added ${showThing(told)} in ${building}`
}

export function sayLocationDeleted(told: Told): Html {
  const building = findBuilding(told)
  return building === undefined
    ? tHtml`deleted ${showThing(told)}`
    : tHtml`deleted ${showThing(told)} in ${building}`
}

export function sayBookableChanged(told: Told): Html {
  const thing = showThing(told)
  const [was, is] = [told.before['status'], told.after['status']]
  if (was === is) return withChanges(tHtml`changed ${thing}`, showChanges(told.said, told.entry))
  const changes = showChanges(told.said, told.entry, ['status'])
  if (is === BOOKABLE_STATUSES.blocked)
    return changes ? tHtml`blocked ${thing} and changed it: ${changes}` : tHtml`blocked ${thing}`
  return changes ? tHtml`unblocked ${thing} and changed it: ${changes}` : tHtml`unblocked ${thing}`
}

const assigneesOf = (row: Record<string, unknown>) => numbersOf(row['assignees'])

export function sayAssigned(told: Told): Html {
  const present = assigneesOf(told.before)
  const added = assigneesOf(told.after).filter((id) => !present.includes(id))
  return added.length === 0
    ? tHtml`assigned ${showThing(told)}`
    : tHtml`assigned ${showThing(told)} to ${showAll(told.said, 'users', added)}`
}

export function sayUnassigned(told: Told): Html {
  const present = assigneesOf(told.after)
  const removed = assigneesOf(told.before).filter((id) => !present.includes(id))
  return removed.length === 0
    ? tHtml`ended the assignment of ${showThing(told)}`
    : tHtml`ended the assignment of ${showThing(told)} to ${showAll(told.said, 'users', removed)}`
}

export function sayPosition(told: Told): Html {
  const [was, is] = [told.before, told.after].map((row) => (row['position_x'] ?? null) !== null)
  if (!is) return tHtml`took ${showThing(told)} off the floor plan`
  return was
    ? tHtml`moved ${showThing(told)} on the floor plan`
    : tHtml`placed ${showThing(told)} on the floor plan`
}

export function sayFloorPlan(told: Told): Html {
  const [was, is] = [told.before, told.after].map((row) => (row['floor_plan_type'] ?? null) !== null)
  if (!is) return tHtml`removed the floor plan of ${showThing(told)}`
  return was
    ? tHtml`replaced the floor plan of ${showThing(told)}`
    : tHtml`uploaded the floor plan of ${showThing(told)}`
}

const RULES: Record<string, Sentence> = {
  opening_hours: sentence`opening hours`,
  days_ahead_max: sentence`how far ahead`,
  minutes_min: sentence`shortest booking`,
  minutes_max: sentence`longest booking`,
  bookings_ahead_max: sentence`bookings per person`,
  one_at_a_time: sentence`one at a time`,
  group_ids: sentence`groups`,
  check_in: sentence`check-in`,
  closed: sentence`closed times`,
}

export function sayRules(told: Told): Html {
  const [was = {}, is = {}] = [told.before, told.after].map((row) => fieldsOf(row['rules']))
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  const changed = names.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
  return withChanges(
    tHtml`changed the rules of ${showThing(told)}`,
    changed.length > 0 && formatList(changed.map(formatRule)),
  )
}

function formatRule(name: string): string {
  const known = Object.hasOwn(RULES, name) ? RULES[name] : undefined
  return known === undefined ? name.replaceAll('_', ' ') : translate(known)
}
