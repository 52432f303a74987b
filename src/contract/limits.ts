/** API 8, and the version prefix of API 9. */
export const pathPrefix = '/admin/v2';
export const firstDefault = 30;
export const firstMaximum = 100;
export const bulkEntriesMaximum = 100;
export const hintRetentionDays = 14;
