// The one form in which license plates are stored and compared: no white space around, one space inside, capital letters.
// Plates that an older release stored as they were typed stay as they are, and are compared in this form.

export const normalizePlate = (typed: string): string => typed.trim().replace(/\s+/g, ' ').toUpperCase()

/** SQL: the same. */
export const normalPlateSql = (plate: string) => `upper(btrim(regexp_replace(${plate}, '\\s+', ' ', 'g')))`
