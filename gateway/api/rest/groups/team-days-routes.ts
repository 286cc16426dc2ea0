// The API endpoints for the team days and the leads of a group.
import {
  leadsAnswerSchema,
  leadsJson,
  leadsSchema,
  newTeamDaySchema,
  teamDayJson,
  teamDaySchema,
} from '../../../../shared/groups/team-days.ts'
import { message } from '../../../../shared/messages/message.ts'
import { selectDataBodySql } from '../../../../shared/schemas/json.ts'
import {
  declareListEndpoint,
  declareReadEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'

const teamDayOptions = {
  tag: 'Groups',
  ability: 'booking-write',
  missing: message`There is no group with this id.`,
} as const

export const teamDayEndpoints = declareResourceEndpoints(teamDayOptions)({
  listTeamDays: declareListEndpoint('/groups/{group_id}/team-days', {
    personal: 'own',
    ability: 'read',
    summary: 'List the team days of a group',
    description:
      'A team day is a day on which the group comes to the office together. Past team days are deleted after a month.',
    item: teamDaySchema,
    listing: {
      name: 'team-days',
      item: teamDayJson,
      rows: 'team_days WHERE team_days.group_id = $1',
      order: { 'team_days.id': 'bigint' },
      parent: 'EXISTS (SELECT FROM groups WHERE id = $1)',
    },
  }),
  createTeamDay: declareWriteEndpoint('POST /groups/{group_id}/team-days', {
    personal: 'own',
    summary: 'Create a team day',
    description:
      'Members see the day in their week and can join with one tap. A personal token works only if its owner leads the group, or if every member may set its team days.',
    body: newTeamDaySchema,
    refusals: ['import_running'],
    job: 'team-days.create',
  }),
  deleteTeamDay: declareWriteEndpoint('DELETE /groups/{group_id}/team-days/{team_day_id}', {
    personal: 'own',
    summary: 'Delete a team day',
    description: 'Bookings on this day stay unchanged.',
    missing: message`This group has no team day with this id.`,
    refusals: ['import_running'],
    job: 'team-days.delete',
  }),
  getGroupLeads: declareReadEndpoint('/groups/{id}/leads', {
    ability: 'read',
    summary: 'Get the leads of a group',
    answer: leadsAnswerSchema,
    statement: {
      name: 'leads-of-group',
      text: selectDataBodySql(leadsJson, 'groups WHERE groups.id = $1'),
    },
  }),
  replaceGroupLeads: declareWriteEndpoint('PUT /groups/{id}/leads', {
    ability: 'user-write',
    summary: 'Set the leads of a group',
    body: leadsSchema,
    refusals: ['import_running'],
    job: 'groups.set-leads',
  }),
})
