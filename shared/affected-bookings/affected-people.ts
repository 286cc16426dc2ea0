// SQL: the people whose bookings and rooms one write moved, cancelled or shortened, as its entries in the audit log have
// them. An event counts as its organizer's.

/** Without those that nobody needs to be told of, such as a check-in. */
export const AFFECTING_ACTIONS = [
  'bookings.clear',
  'bookings.delete',
  'bookings.move',
  'bookings.release',
  'bookings.update',
  'events.clear-room',
  'events.move-room',
  'events.release',
]

// Much longer than a write lasts.
const WRITE_LASTS = "interval '1 minute'"

/**
 * From an entry of the write, the rows after FROM: `person`, `email`, what was booked and when, and the same now, null if
 * nothing is left. The log is searched by its index of actors, actions and times.
 */
export const affectedPeople = (entry: string): string => {
  const place = (table: string, json: string) => `
    LEFT JOIN bookables AS ${table} ON ${table}.id = (entries.${json} ->> 'bookable_id')::bigint
    LEFT JOIN locations AS ${table}_location ON ${table}_location.id = ${table}.location_id
    LEFT JOIN buildings AS ${table}_building ON ${table}_building.id = ${table}_location.building_id`
  return `(
    SELECT entries.id, users.id AS user_id, users.name AS person, users.email, events.name AS event,
      former.name AS bookable, former_location.name AS location, former_building.name AS building,
      present.name AS bookable_now, present_location.name AS location_now,
      former_building.timezone, (entries.before ->> 'during')::tstzrange AS during,
      (entries.after ->> 'during')::tstzrange AS during_now
    FROM (SELECT * FROM audit_log WHERE id = ${entry}) AS first
    CROSS JOIN unnest(ARRAY['${AFFECTING_ACTIONS.join("','")}']) AS wanted (action)
    CROSS JOIN LATERAL (
      SELECT * FROM audit_log
      WHERE (actor_type, actor_name, action) = (first.actor_type, first.actor_name, wanted.action)
        AND at >= first.at AND at < first.at + ${WRITE_LASTS} AND request_id = first.request_id
    ) AS entries
    LEFT JOIN events ON entries.resource = 'events' AND events.id = entries.resource_id
    JOIN users ON users.id = coalesce((entries.before ->> 'user_id')::bigint, events.organizer_user_id)
    ${place('former', 'before')} ${place('present', 'after')}
  ) AS affected`
}
