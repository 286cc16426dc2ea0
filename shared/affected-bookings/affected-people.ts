// SQL for the people whose bookings or event rooms one write moved, cancelled or shortened, according to its audit log
// entries. Rooms of an event count as claims of its organizer.
import { entriesOfWriteSql } from '../undo/one-write.ts'

/** The audit actions that affect people. Excludes changes that nobody needs to hear about, such as a check-in. */
export const AFFECTING_ACTIONS = [
  'bookings.clear',
  'bookings.delete',
  'bookings.move',
  'bookings.release',
  'bookings.release-away',
  'bookings.release-day',
  'bookings.update',
  'events.clear-room',
  'events.move-room',
  'events.release',
]

/** SQL for the rows of affected people, given an audit log entry of the write. Each row has the `person`, the
 * `email`, what was booked and when before the write, and the same after the write (null if nothing is left). */
export const affectedPeopleSql = (entry: string): string => `(
    SELECT entries.id, users.id AS user_id, users.name AS person, users.email, events.name AS event,
      coalesce(former.name, deletion.name, '–') AS bookable, coalesce(former_location.name, location_deletion.name) AS location,
      coalesce(former_building.name, building_deletion.name) AS building,
      present.name AS bookable_now, present_location.name AS location_now,
      coalesce(former_building.timezone, building_deletion.timezone) AS timezone, (entries.before ->> 'during')::tstzrange AS during,
      (entries.after ->> 'during')::tstzrange AS during_now
    FROM (
      SELECT audit_log.* FROM ${entriesOfWriteSql(entry)}
      WHERE audit_log.action = ANY (ARRAY['${AFFECTING_ACTIONS.join("','")}'])
    ) AS entries
    LEFT JOIN events ON entries.resource = 'events' AND events.id = entries.resource_id
    JOIN users ON users.id = coalesce((entries.before ->> 'user_id')::bigint, events.organizer_user_id)
    LEFT JOIN bookables AS former ON former.id = (entries.before ->> 'bookable_id')::bigint
    LEFT JOIN LATERAL (
      SELECT before ->> 'name' AS name, (before ->> 'location_id')::bigint AS location_id FROM audit_log
      WHERE former.id IS NULL AND action = 'bookables.delete' AND resource = 'bookables'
        AND resource_id = (entries.before ->> 'bookable_id')::bigint LIMIT 1
    ) AS deletion ON true
    LEFT JOIN locations AS former_location ON former_location.id = coalesce(former.location_id, deletion.location_id)
    LEFT JOIN LATERAL (
      SELECT before ->> 'name' AS name, (before ->> 'building_id')::bigint AS building_id FROM audit_log
      WHERE former_location.id IS NULL AND action = 'locations.delete' AND resource = 'locations'
        AND resource_id = coalesce(former.location_id, deletion.location_id) LIMIT 1
    ) AS location_deletion ON true
    LEFT JOIN buildings AS former_building
      ON former_building.id = coalesce(former_location.building_id, location_deletion.building_id)
    LEFT JOIN LATERAL (
      SELECT before ->> 'name' AS name, before ->> 'timezone' AS timezone FROM audit_log
      WHERE former_building.id IS NULL AND action = 'buildings.delete' AND resource = 'buildings'
        AND resource_id = coalesce(former_location.building_id, location_deletion.building_id) LIMIT 1
    ) AS building_deletion ON true
    LEFT JOIN bookables AS present ON present.id = (entries.after ->> 'bookable_id')::bigint
    LEFT JOIN locations AS present_location ON present_location.id = present.location_id
  ) AS affected`
