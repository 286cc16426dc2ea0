// Chooses the sentence of an audit log entry by what its rows contain.
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { type Sentence, sentence } from '../../locales/translate.ts'
import { type AuditArgs, type AuditedFields, formatSpan, parseSpan } from './things.ts'

export type Templates = Sentence[]

/** Returns whether the row of a booking says what was booked. */
export const hasBookable = (row: AuditedFields) => row['bookable_id'] !== undefined

function createPresenceChooser(
  field: string,
  { added, changed, removed }: Record<'added' | 'changed' | 'removed', Sentence>,
) {
  const isThere = (row: AuditedFields) => (row[field] ?? null) !== null
  return ({ before, after }: AuditArgs) => [isThere(after) ? (isThere(before) ? changed : added) : removed]
}

export const choosePosition = createPresenceChooser('position_x', {
  added: sentence`placed {thing} on the floor plan`,
  changed: sentence`moved {thing} on the floor plan`,
  removed: sentence`took {thing} off the floor plan`,
})

export const chooseFloorPlan = createPresenceChooser('floor_plan_type', {
  added: sentence`uploaded the floor plan of {thing}`,
  changed: sentence`replaced the floor plan of {thing}`,
  removed: sentence`removed the floor plan of {thing}`,
})

export function chooseStatus({ before, after }: AuditArgs): Templates {
  if (before['status'] === after['status']) return [sentence`changed {thing}`]
  return [
    after['status'] === BOOKABLE_STATUSES.blocked
      ? sentence`blocked {thing}[ and changed it: {otherChanges}]`
      : sentence`unblocked {thing}[ and changed it: {otherChanges}]`,
  ]
}

export const chooseClearTemplates = ({ after }: AuditArgs): Templates => [
  hasBookable(after)
    ? sentence`shortened the booking of {what} for {whom}, {when}, because of a conflict`
    : sentence`cancelled the booking of {what} for {whom}, {when}, because of a conflict`,
  sentence`cancelled booking {id}, because of a conflict`,
]

export const chooseMove = (args: AuditArgs): Templates =>
  hasBookable(args.before) && hasBookable(args.after)
    ? [chooseChange(args)]
    : [sentence`moved the booking of {what} for {whom}`, sentence`moved booking {id}`]

export const chooseUpdate = (args: AuditArgs): Templates =>
  hasBookable(args.before) && hasBookable(args.after)
    ? [chooseChange(args)]
    : [sentence`changed the booking of {what} for {whom}`, sentence`changed booking {id}`]

function chooseChange({ before, after }: AuditArgs): Sentence {
  const isSameTime = before['during'] === after['during']
  if (before['bookable_id'] !== after['bookable_id'])
    return isSameTime
      ? sentence`moved the booking for {whom} from {oldWhat} to {what}, {when}`
      : sentence`moved the booking for {whom} from {oldWhat}, {oldWhen}, to {what}, {when}`
  if (isSameTime) return sentence`changed the booking of {what} for {whom}, {when}`
  const [was, is] = [parseSpan(before['during']), parseSpan(after['during'])]
  if (was?.from !== is?.from) return sentence`moved the booking of {what} for {whom} from {oldWhen} to {when}`
  return is?.to === undefined || (was?.to !== undefined && is.to > was.to)
    ? sentence`extended the booking of {what} for {whom} to {when}`
    : sentence`shortened the booking of {what} for {whom} to {when}`
}

/** Chooses who released a booking: a timer because nobody checked in, or an administrator because a user has left. */
export function chooseRelease({ after }: AuditArgs): Templates {
  if ((after['released_at'] ?? null) !== null)
    return [
      sentence`released the booking of {what} for {whom}, {oldWhen}, because nobody checked in`,
      sentence`released booking {id}, {oldWhen}, because nobody checked in`,
    ]
  return [
    hasBookable(after)
      ? sentence`ended the booking of {what} for {whom}, {when}, because they were deactivated`
      : sentence`cancelled the booking of {what} for {whom}, {when}, because they were deactivated`,
    sentence`cancelled booking {id}, because they were deactivated`,
  ]
}

export const chooseAwayRelease = ({ after }: AuditArgs): Templates => [
  hasBookable(after)
    ? sentence`shortened the booking of {what}, {when}, because {whom} is away`
    : sentence`released the booking of {what}, {when}, because {whom} is away`,
  sentence`released booking {id}, because the person is away`,
]

export const chooseDayRelease = ({ after }: AuditArgs): Templates => [
  hasBookable(after)
    ? sentence`shortened the booking of {what} for {whom}, {when}, because of another choice for that day`
    : sentence`released the booking of {what} for {whom}, {when}, because of another choice for that day`,
  sentence`released booking {id}, because of another choice for that day`,
]

export function chooseReplace({ before, after, context }: AuditArgs): Templates {
  const isSameTime = formatSpan(before['during'], context.zone) === formatSpan(after['during'], context.zone)
  const moved = sentence`moved the meeting {name} from {oldEventTime} to {newEventTime}`
  return [...(isSameTime ? [] : [moved]), sentence`changed the meeting {name}`]
}
