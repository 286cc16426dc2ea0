// Every advisory lock of Berth. A release and the one before run at the same time, so a key never changes while both use it,
// and a key that is no longer used is not given to another lock.

/** Locks that exist once. */
export const LOCKS = {
  /** One process migrates at a time, on all machines. */
  migrations: 7_301_001,
  /** One import writes users at a time. Other writes of users take it shared. */
  imports: 7_301_002,
  /** Only one first administrator is created. */
  firstAdministrator: 7_301_010,
  /** One process makes deliveries for webhooks and moves their position. */
  deliveries: 7_301_023,
  /** Webhooks that are created at the same time count towards each other's limit. */
  webhooks: 7_301_024,
  /** One process turns changes into mails and moves their position. */
  mailPosition: 7_301_089,
  /** Screens that are set up at the same time count towards each other's limit. */
  screens: 7_301_094,
  /** One worker writes the texts by which searches find users. */
  userTexts: 7_340_021,
  /**
   * No two buildings get the same name. The number is hashtextextended('names of buildings', 2), which earlier releases
   * compute: the same key, but outside of the class of another lock.
   */
  buildingNames: '-5997348767004290743',
} as const

/** Locks that exist once per thing: the key is a hash of the prefix and the id, seeded by the class. */
export const LOCK_CLASSES = {
  /** One request at a time does the work of an idempotency key. */
  idempotencyKey: { class: 0, prefix: '' },
  /** One write at a time changes the claims of a bookable, if it moves claims or makes several. */
  claims: { class: 1, prefix: 'bookable ' },
  /** One write at a time counts and adds bookings of a user. */
  userBookings: { class: 2, prefix: 'bookings of user ' },
  /** One process at a time offers what is free on a floor. */
  floorWaits: { class: 3, prefix: 'waits for ' },
  /**
   * One first sign-in of a person at a provider creates their administrator. Earlier releases use class 0: beside one of
   * them, the primary key of admin_identities fails the later sign-in, which the person repeats.
   */
  providerSignIn: { class: 4, prefix: 'sign-in of ' },
} as const

/** SQL: the key of the lock for one thing. `id` is SQL. */
export function lockOf(name: keyof typeof LOCK_CLASSES, id: string): string {
  const { class: seed, prefix } = LOCK_CLASSES[name]
  return prefix === ''
    ? `hashtextextended(${id}, ${seed})`
    : `hashtextextended('${prefix}' || ${id}, ${seed})`
}

type Key = string | number

/** SQL: waits for the lock, and holds it until the transaction ends. */
export const waitForLock = (key: Key): string => `pg_advisory_xact_lock(${key})`
/** SQL: whether the transaction got the lock, without waiting. */
export const tryLock = (key: Key): string => `pg_try_advisory_xact_lock(${key})`
/** SQL: the same for a lock that several transactions may share. */
export const waitForSharedLock = (key: Key): string => `pg_advisory_xact_lock_shared(${key})`
export const trySharedLock = (key: Key): string => `pg_try_advisory_xact_lock_shared(${key})`
