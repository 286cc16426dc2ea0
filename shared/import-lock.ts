// The advisory lock that an import holds while it writes users: the workers take it, the dashboard shows that it is held.

/** Any number that nobody else uses. */
export const IMPORT_LOCK = 7_301_002
