/** API 8, and the version prefix of API 9. */
export const pathPrefix = '/admin/v2';
export const firstDefault = 30;
export const firstMaximum = 100;
export const bulkEntriesMaximum = 100;
export const hintRetentionDays = 14;

/** The range of ratings (API 4.15: not shown). */
export const ratingMinimum = 1;
export const ratingMaximum = 5;
