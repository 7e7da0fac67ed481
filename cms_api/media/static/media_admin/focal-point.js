/* Without this, Jcrop tries event handlers as attributes to find out, which the Content-Security-Policy blocks. */
window.jQuery.Jcrop.defaults.touchSupport = "ontouchstart" in window;
