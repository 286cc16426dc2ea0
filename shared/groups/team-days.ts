// Defines the API schemas of team days (days on which a group comes to the office together) and of the leads of groups,
// and the jobs that write both.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { createFieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import {
  flag,
  id,
  integer,
  list,
  object,
  required,
  text as textField,
  treatNullAsAbsent,
} from '../schemas/fields.ts'
import { writeJob } from '../schemas/job.ts'
import { rowJson, text } from '../schemas/json.ts'
import { date } from '../schemas/times.ts'

const LEADS_MAX = 100

export const teamDaySchema = yup
  .object({
    id: answer.id(),
    group_id: answer.id(),
    date: answer.date().nullable(),
    weekday: answer.integer('The day of every week, from 1 (Monday) to 7 (Sunday).').nullable(),
    location_id: answer.id().nullable(),
    note: answer.text().nullable(),
  })
  .meta({ component: 'TeamDay' })

// Looks up the location, so that it is null for a token that is limited to other buildings.
export const teamDayJson = rowJson(teamDaySchema, 'team_days', {
  location_id: '(SELECT locations.id FROM locations WHERE locations.id = team_days.location_id)',
})

export const newTeamDaySchema = object({
  date: treatNullAsAbsent(date()).meta({ description: 'The day, on the clock of each building.' }),
  weekday: treatNullAsAbsent(integer({ min: 1, max: 7 }))
    .test(
      'either',
      createFieldMessage((name) => message`Either ${name} or date is required, but not both.`),
      (weekday, { parent }) => (weekday == null) !== (parent.date == null),
    )
    .meta({ description: 'The day of every week, from 1 (Monday) to 7 (Sunday).' }),
  location_id: treatNullAsAbsent(id()).meta({ description: 'The floor where the group meets.' }),
  note: treatNullAsAbsent(textField({ max: 255 })),
})

export const leadsSchema = object({
  user_ids: required(list(required(id()), { max: LEADS_MAX, isDistinct: true })).meta({
    description:
      'The ids of all leads. New leads must be active members of the group. Deactivated leads can stay in the list.',
  }),
  anybody: flag().meta({
    description: 'Whether every member may set the team days of the group, and not only its leads.',
    whenAbsent: false,
  }),
})

export const leadsAnswerSchema = yup
  .object({ user_ids: answer.list(answer.id()), anybody: answer.flag() })
  .meta({ component: 'Leads' })

export const leadsJson = rowJson(leadsAnswerSchema, 'groups', {
  user_ids: text<number[]>(
    'ARRAY(SELECT user_id FROM group_leads WHERE group_leads.group_id = groups.id ORDER BY user_id)',
  ),
  anybody: 'groups.anybody_names_team_days',
})

export const teamDayJobs = {
  'team-days.create': writeJob(
    newTeamDaySchema.shape({ group_id: required(id()) }),
    answer.data(teamDaySchema),
  ),
  'team-days.delete': writeJob(object({ group_id: required(id()), team_day_id: required(id()) }), null),
  // `seen` is what the dashboard showed. With it, the job applies only the differences from `seen`, and keeps what another
  // administrator has changed meanwhile.
  'groups.set-leads': writeJob(
    leadsSchema.shape({ id: required(id()), seen: leadsSchema.optional().default(undefined) }),
    answer.data(leadsAnswerSchema),
  ),
}

/**
 * SQL condition that a user may set the team days of the group `groups.id`. The condition includes that the user is a
 * member.
 */
export const mayNameTeamDaysSql = (user: string): string => `
  EXISTS (SELECT FROM group_members WHERE group_members.group_id = groups.id AND group_members.user_id = ${user})
  AND (groups.anybody_names_team_days
    OR EXISTS (SELECT FROM group_leads WHERE group_leads.group_id = groups.id AND group_leads.user_id = ${user}))`
