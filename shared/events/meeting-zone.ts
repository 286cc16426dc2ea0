// Defines the time zone in which pages and mails show the time of a meeting.

/**
 * SQL for the time zone of a row of `events`: the zone of its first room. If it has no room, the zone of the room that
 * it lost last. If it never had a room, the zone that its organizer chose.
 */
export const MEETING_ZONE = `coalesce(
  (SELECT buildings.timezone FROM (
     SELECT bookable_id, released_at AS lost_at, id FROM bookings WHERE event_id = events.id
     UNION ALL SELECT bookable_id, cancelled_at, id FROM cancelled_bookings WHERE event_id = events.id
   ) AS rooms
   JOIN bookables ON bookables.id = rooms.bookable_id
   JOIN locations ON locations.id = bookables.location_id
   JOIN buildings ON buildings.id = locations.building_id
   ORDER BY rooms.lost_at DESC NULLS FIRST, rooms.id LIMIT 1),
  events.from_timezone)`
