// Creates and deletes the team days of a group, and sets its leads. A person may set the team days of a group that they
// lead, or of their group if all its members may.
import { mayNameTeamDaysSql, teamDayJson } from '../../../shared/groups/team-days.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { dataBodyText } from '../../../shared/schemas/json.ts'
import type { AuditedRow, Handlers, Write } from '../../runtime/write.ts'
import { GROUP_NOT_FOUND, lockGroup } from './groups.ts'

const TEAM_DAYS_MAX = 100
const TEAM_DAY_NOT_FOUND = message`This group has no team day with this id.`

export const teamDayHandlers: Handlers<'team-days.create' | 'team-days.delete' | 'groups.set-leads'> = {
  async 'team-days.create'(write, day) {
    const id = await createTeamDay(write, day)
    return write.reply(dataBodyText(teamDayJson), 'team_days WHERE team_days.id = ?', [id])
  },

  async 'team-days.delete'(write, { group_id, team_day_id }) {
    await deleteTeamDay(write, { group_id, id: team_day_id })
    return null
  },

  /** Replaces the leads of a group. Members who leave the group stop being its leads; deactivated leads can stay. */
  async 'groups.set-leads'(write, { id, ...input }) {
    await lockGroup(write, id, 'FOR NO KEY UPDATE')
    const present = await readLeads(write, id)
    const { user_ids, anybody = false } = input.seen ? mergeLeads(present, input, input.seen) : input
    const members = await write.ids(
      `SELECT users.id FROM group_members JOIN users ON users.id = group_members.user_id
       WHERE group_id = ? AND users.id = ANY (?::bigint[])
         AND (deactivated_at IS NULL OR users.id = ANY (?::bigint[])) ORDER BY users.id`,
      [id, user_ids, present.user_ids],
    )
    if (members.length < user_ids.length)
      throw invalidFields({ user_ids: [message`Only active members of the group can lead it.`] })
    const former = await write.readFormer('groups', [id])
    await write.run('DELETE FROM group_leads WHERE group_id = ?', [id])
    await write.run('INSERT INTO group_leads (group_id, user_id) SELECT ?, unnest(?::bigint[])', [
      id,
      members,
    ])
    await write.run('UPDATE groups SET anybody_names_team_days = ? WHERE id = ?', [anybody, id])
    await write.audit({ action: 'groups.set-leads', id, former, after: { leads: members, anybody } })
    return { data: { user_ids: members, anybody } }
  },
}

type Leads = Pick<InputOf<'groups.set-leads'>, 'user_ids' | 'anybody'>

async function readLeads(write: Write, id: number): Promise<Leads> {
  const user_ids = await write.ids('SELECT user_id AS id FROM group_leads WHERE group_id = ?', [id])
  const sql = 'SELECT anybody_names_team_days AS anybody FROM groups WHERE id = ?'
  return { user_ids, ...(await write.only<{ anybody: boolean }>(sql, [id])) }
}

/** Applies to the present leads what differs between the wanted and the seen ones. */
function mergeLeads(present: Leads, wanted: Leads, seen: Leads): Leads {
  const added = wanted.user_ids.filter((each) => !seen.user_ids.includes(each))
  const kept = present.user_ids.filter(
    (each) => wanted.user_ids.includes(each) || !seen.user_ids.includes(each),
  )
  return {
    user_ids: [...new Set([...kept, ...added])],
    anybody: wanted.anybody === seen.anybody ? present.anybody : wanted.anybody,
  }
}

type TeamDay = InputOf<'team-days.create'> & { id?: number }

/** Creates a team day. With `id`, restores a deleted one. */
export async function createTeamDay(
  write: Write,
  { id, group_id, date = null, weekday = null, location_id = null, note = null }: TeamDay,
): Promise<number> {
  await lockGroup(write, group_id, 'FOR NO KEY UPDATE')
  await refuseUnlessMayName(write, group_id)
  await refuseTooMany(write, group_id)
  await requireLocation(write, location_id)
  const created = await write.only<AuditedRow>(
    `INSERT INTO team_days (id, group_id, date, weekday, location_id, note) OVERRIDING SYSTEM VALUE
     VALUES (coalesce(CAST(? AS bigint), nextval(pg_get_serial_sequence('team_days', 'id'))), ?, ?, ?, ?, ?)
     RETURNING id, to_jsonb(team_days) AS row`,
    [id ?? null, group_id, date, weekday, location_id, note],
  )
  await write.audit({ action: 'team_days.create', id: created.id, after: created.row })
  return created.id
}

export async function deleteTeamDay(
  write: Write,
  { group_id, id }: { group_id: number; id: number },
): Promise<void> {
  await lockGroup(write, group_id, 'FOR NO KEY UPDATE')
  await refuseUnlessMayName(write, group_id)
  const { row } = await write.requireRow<AuditedRow>(
    'SELECT id, to_jsonb(team_days) AS row FROM team_days WHERE id = ? AND group_id = ? FOR UPDATE',
    [id, group_id],
    TEAM_DAY_NOT_FOUND,
  )
  await write.run('DELETE FROM team_days WHERE id = ?', [id])
  await write.audit({ action: 'team_days.delete', id, before: row })
}

/**
 * Refuses a person who may not set the team days of the group. People who are not in the group get the answer that it
 * does not exist.
 */
async function refuseUnlessMayName(write: Write, groupId: number): Promise<void> {
  const { userId } = write
  if (userId === undefined) return
  const found = await write.first<{ is_member: boolean; may_name: boolean }>(
    `SELECT EXISTS (SELECT FROM group_members WHERE group_id = groups.id AND user_id = :userId) AS is_member,
       ${mayNameTeamDaysSql('CAST(:userId AS bigint)')} AS may_name
     FROM groups WHERE id = :groupId`,
    { userId, groupId },
  )
  if (!found?.is_member) throw new Refusal('not_found', GROUP_NOT_FOUND)
  if (!found.may_name)
    throw new Refusal('personal_token', message`Only the leads of this group can set its team days.`)
}

async function refuseTooMany(write: Write, groupId: number): Promise<void> {
  // Past team days do not count. Upkeep deletes them later.
  const { number } = await write.only<{ number: number }>(
    `SELECT count(*)::int AS number FROM team_days
     WHERE group_id = ? AND (date IS NULL OR date >= CAST(? AS timestamptz)::date - 1)`,
    [groupId, write.now],
  )
  if (number >= TEAM_DAYS_MAX)
    throw new Refusal(
      'validation_failed',
      message`A group can have at most ${TEAM_DAYS_MAX} upcoming team days.`,
    )
}

async function requireLocation(write: Write, id: number | null): Promise<void> {
  if (id === null) return
  const sql = `SELECT id FROM locations WHERE id = :id
    AND (CAST(:buildings AS bigint[]) IS NULL OR building_id = ANY (CAST(:buildings AS bigint[]))) FOR KEY SHARE`
  const found = await write.first(sql, { id, buildings: write.buildingIds ?? null })
  if (!found) throw invalidFields({ location_id: [message`There is no floor with this id.`] })
}
