/* color.c: the colour map of attention weights, and the colours of roles.
 *
 * Near-white to deep blue through a clear mid blue, built in the OKLCH space (Ottosson 2020): lightness
 * falls linearly with t, so equal steps of t look equally large and survive a grey print and every kind
 * of colour blindness; hue turns a little and chroma swells in the middle, which is what makes the steps
 * easy to tell apart. */
#include "picture_internal.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Linear light 0..1 to an sRGB byte; colours outside the gamut are clipped. */
static uint8_t encode(double x)
{
    x = x < 0 ? 0 : x > 1 ? 1 : x;
    x = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
    return (uint8_t)(255 * x + 0.5);
}

static double decode(uint8_t v)
{
    double x = v / 255.0;
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

at_draw_rgb at_draw_ramp(double t)
{
    t = t > 0 ? (t < 1 ? t : 1) : 0; /* NaN is drawn as 0; callers mark it otherwise */
    double light = 0.975 - 0.69 * t;
    double chroma = 0.012 + 0.1 * t + 0.06 * sin(pi * t);
    double hue = (222 + 42 * t) * pi / 180;
    double a = chroma * cos(hue), b = chroma * sin(hue);
    double l = light + 0.3963377774 * a + 0.2158037573 * b;
    double m = light - 0.1055613458 * a - 0.0638541728 * b;
    double s = light - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    return (at_draw_rgb){encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                         encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                         encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

double at_draw_luminance(at_draw_rgb c)
{
    return 0.2126 * decode(c.r) + 0.7152 * decode(c.g) + 0.0722 * decode(c.b);
}

/* The colours of Okabe and Ito, which the colour-blind can tell apart. */
at_draw_rgb at_draw_palette(int k)
{
    static const at_draw_rgb palette[] = {{0x00, 0x72, 0xB2}, {0xD5, 0x5E, 0x00}, {0x00, 0x9E, 0x73},
                                          {0xCC, 0x79, 0xA7}, {0x56, 0xB4, 0xE9}, {0xE6, 0x9F, 0x00}};
    return palette[(size_t)k % (sizeof palette / sizeof *palette)];
}

static uint8_t mix(uint8_t v, uint8_t with, double share)
{
    return (uint8_t)(v + (with - v) * share + 0.5);
}

at_draw_paint at_draw_role(at_role role, int shade)
{
    static const int color[AT_ROLES] = {
        [AT_ROLE_BUILT] = 0, [AT_ROLE_BOUND] = 1, [AT_ROLE_TRAINED] = 2, [AT_ROLE_REFUTED] = 3};
    static const struct {
        uint8_t with;
        double share;
    } shades[] = {{0, 0}, {0, 0.45}, {255, 0.4}, {0, 0.7}, {255, 0.62}};
    if (role == AT_ROLE_THEORY)
        return at_draw_faint;
    if (role == AT_ROLE_OTHER)
        return at_draw_solid(at_draw_palette(shade));
    at_draw_rgb c = at_draw_palette(color[role]);
    size_t k = (size_t)shade % (sizeof shades / sizeof *shades);
    return at_draw_solid((at_draw_rgb){mix(c.r, shades[k].with, shades[k].share),
                                       mix(c.g, shades[k].with, shades[k].share),
                                       mix(c.b, shades[k].with, shades[k].share)});
}
