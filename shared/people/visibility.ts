// Decides in SQL who hides from whom. The gateway uses it for reads, and the workers for their replies.

const SHARES_GROUP = (user: string, viewer: string) => `EXISTS (
    SELECT FROM group_members AS own JOIN group_members AS theirs USING (group_id)
    WHERE own.user_id = ${viewer} AND theirs.user_id = ${user})`

const doesHide = (user: string, viewer: string) =>
  `visibility <> 'everybody' AND NOT (visibility = 'groups' AND ${SHARES_GROUP(user, viewer)})`

/** Selects the ids of the people who hide from this person. */
export const peopleHiddenFrom = (viewer: string): string => `
  SELECT user_id FROM person_settings
  WHERE user_id <> ${viewer} AND ${doesHide('person_settings.user_id', viewer)}`

/** Whether a user hides from this person. False if `viewer` is null: only people are kept from seeing each other. */
export const isHiddenFrom = (user: string, viewer: string): string => `EXISTS (
  SELECT FROM person_settings AS hiding
  WHERE hiding.user_id = ${user} AND hiding.user_id <> ${viewer} AND ${doesHide('hiding.user_id', viewer)})`

/**
 * Selects the rows of event_attendees as a person sees them (everything, if `viewer` is null). Somebody who hides from the
 * person is a visitor with their e-mail address, and has the id of a visitor. The organizer of an event is always shown: people
 * who invite others reveal who they are.
 */
export const attendeesSeenBy = (viewer: string): string => `
  SELECT attending.id, attending.event_id, attending.role, attending.status, attending.visitor_id,
    CASE WHEN hidden.id IS NULL THEN attending.user_id END AS user_id, coalesce(hidden.email, attending.email) AS email
  FROM event_attendees AS attending
  LEFT JOIN users AS hidden ON hidden.id = attending.user_id AND ${isHiddenFrom('attending.user_id', viewer)}
    AND NOT EXISTS (SELECT FROM events AS attended
      WHERE attended.id = attending.event_id AND attended.organizer_user_id = attending.user_id)`

/** Whether a user shows themselves to everybody: for what strangers see, such as a screen or a calendar of a place. */
export const isShownToEverybody = (user: string): string => `NOT EXISTS (
  SELECT FROM person_settings AS shown WHERE shown.user_id = ${user} AND shown.visibility <> 'everybody')`
