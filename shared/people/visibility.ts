// SQL that decides who is hidden from whom. The gateway uses it for reads, and workers use it for their replies.

const sharesGroupSql = (user: string, viewer: string) => `EXISTS (
    SELECT FROM group_members AS own JOIN group_members AS theirs USING (group_id)
    WHERE own.user_id = ${viewer} AND theirs.user_id = ${user})`

const doesHideSql = (user: string, viewer: string) =>
  `visibility <> 'everybody' AND NOT (visibility = 'groups' AND ${sharesGroupSql(user, viewer)})`

/** SQL that selects the ids of the people who are hidden from this person. */
export const peopleHiddenFromSql = (viewer: string): string => `
  SELECT user_id FROM person_settings
  WHERE user_id <> ${viewer} AND ${doesHideSql('person_settings.user_id', viewer)}`

/** SQL condition that the user is hidden from this person. False if `viewer` is null, because users are only
 * hidden from other people. */
export const isHiddenFromSql = (user: string, viewer: string): string => `EXISTS (
  SELECT FROM person_settings AS hiding
  WHERE hiding.user_id = ${user} AND hiding.user_id <> ${viewer} AND ${doesHideSql('hiding.user_id', viewer)})`

/**
 * SQL that selects the rows of event_attendees as a person sees them, or unchanged if `viewer` is null. An attendee who
 * is hidden from this person appears as a visitor, with their e-mail address and a visitor's id. The organizer of an
 * event is always shown: people who invite others reveal who they are.
 */
export const attendeesSeenBySql = (viewer: string): string => `
  SELECT attending.id, attending.event_id, attending.role, attending.status, attending.visitor_id, attending.name,
    CASE WHEN hidden.id IS NULL THEN attending.user_id END AS user_id, coalesce(hidden.email, attending.email) AS email
  FROM event_attendees AS attending
  LEFT JOIN users AS hidden ON hidden.id = attending.user_id AND ${isHiddenFromSql('attending.user_id', viewer)}
    AND NOT EXISTS (SELECT FROM events AS attended
      WHERE attended.id = attending.event_id AND attended.organizer_user_id = attending.user_id)`

/** SQL condition that the user is visible to everybody. Decides what the public sees, for example on a screen
 * or in a place's calendar. */
export const isShownToEverybodySql = (user: string): string => `NOT EXISTS (
  SELECT FROM person_settings AS shown WHERE shown.user_id = ${user} AND shown.visibility <> 'everybody')`
