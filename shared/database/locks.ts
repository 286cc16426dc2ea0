// Every advisory lock of Berth. Two consecutive releases may run at the same time, so the key of a lock never changes
// while both use it, and a retired key is never reused for another lock.

/** Locks that exist only once in the database. */
export const LOCKS = {
  /** Only one process on all machines migrates at a time. */
  migrations: 7_301_001,
  /** Only one import at a time writes users. Other writes of users share the lock. */
  imports: 7_301_002,
  /** Only one request creates the first administrator. */
  firstAdministrator: 7_301_010,
  /** Only one process makes deliveries for webhooks and moves their position in the outbox. */
  deliveries: 7_301_023,
  /** Serializes the creation of webhooks, so that their number stays within the limit. */
  webhooks: 7_301_024,
  /** Only one process turns changes into mails and moves the mails' position in the outbox. */
  mailPosition: 7_301_089,
  /** Only one process turns changes into notifications to browsers and composes them. */
  pushes: 7_301_145,
  /** Only one process finds the calendars of rooms whose claims changed, and moves their position in the outbox. */
  calendarPosition: 7_301_156,
  /** Serializes the set-up of screens, so that their number stays within the limit. */
  screens: 7_301_094,
  /** Serializes the linking of room calendars, so that two rooms never get the same calendar. */
  roomCalendars: 7_301_157,
  /** Only one worker at a time writes the texts by which searches find users. */
  userTexts: 7_340_021,
  /**
   * Ensures that building names are unique. The number is hashtextextended('names of buildings', 2), which earlier
   * releases compute. Written as a constant, the key stays the same without belonging to the class of another lock.
   */
  buildingNames: '-5997348767004290743',
} as const

/**
 * Locks that exist once for each resource. The key is a hash of the prefix and the id, and the class is the seed of the
 * hash.
 */
export const LOCK_CLASSES = {
  /** Only one request at a time does the work of an idempotency key. */
  idempotencyKey: { class: 0, prefix: '' },
  /** Only one write at a time changes the claims of a bookable, if the write moves claims or creates several. */
  claims: { class: 1, prefix: 'bookable ' },
  /** Only one write at a time counts and adds bookings of a user. */
  userBookings: { class: 2, prefix: 'bookings of user ' },
  /** Only one process at a time offers a floor's free places to people on its waitlist. */
  floorWaits: { class: 3, prefix: 'waits for ' },
  /**
   * Only the first sign-in of a person at a provider creates their administrator. Earlier releases use class 0: if one
   * of them runs at the same time, the primary key of admin_identities fails the later sign-in, and the person has to
   * sign in again.
   */
  providerSignIn: { class: 4, prefix: 'sign-in of ' },
  /** Only one worker at a time applies entries of the same meeting, which may be in the calendars of several rooms. */
  calendarMeeting: { class: 5, prefix: 'meeting of calendars ' },
} as const

/** SQL for the key of the lock for one resource. `id` is SQL for the id of the resource. */
export function lockKeySql(name: keyof typeof LOCK_CLASSES, id: string): string {
  const { class: seed, prefix } = LOCK_CLASSES[name]
  return prefix === ''
    ? `hashtextextended(${id}, ${seed})`
    : `hashtextextended('${prefix}' || ${id}, ${seed})`
}

type LockKey = string | number

/** SQL that waits for the lock, and holds it until the transaction ends. */
export const waitForLockSql = (key: LockKey): string => `pg_advisory_xact_lock(${key})`
/** SQL that tries to get the lock without waiting, and returns whether the transaction got it. */
export const tryLockSql = (key: LockKey): string => `pg_try_advisory_xact_lock(${key})`
/** SQL that waits for a lock that several transactions may share. */
export const waitForSharedLockSql = (key: LockKey): string => `pg_advisory_xact_lock_shared(${key})`
export const trySharedLockSql = (key: LockKey): string => `pg_try_advisory_xact_lock_shared(${key})`

/** SQL condition that the process of a row in pg_locks holds the lock, in this database, and shares it with no other process. */
export const isExclusiveLockSql = (lock: keyof typeof LOCKS): string =>
  `(locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted AND (classid, objid, objsubid) = (0, ${LOCKS[lock]}, 1)
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`
